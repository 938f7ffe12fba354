/** For whom a cell is asked: whoever is of this project and may see so much. */
export interface AskedAs {
  readonly project: string;
  /** `texts` are seen as well as `structure`; `operate` may also change what is there. */
  readonly level: 'structure' | 'texts' | 'operate';
}
