/** What a fake model says to a request: JSON, or the events of a stream. */
export interface FakeAnswer {
  readonly status: number;
  readonly body?: object;
  /** Server-sent events; a name before the data where the API names its events. */
  readonly events?: readonly FakeEvent[];
}

/** A request's JSON body, as far as the fakes look at it. */
export interface FakeRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

export interface FakeEvent {
  readonly event?: string;
  readonly data: string;
}
