/**
 * What vendors issue to be shown, each in a form of its own, stays whatever name it stands under. A form that public and
 * secret keys share (`AIza…`) is that of a secret, and so is the id of a key that is half of a credential (`AKIA…`).
 */
const PUBLIC_FORMS: readonly RegExp[] = [
  // https://docs.stripe.com/keys: publishable keys; Clerk's have the same form
  /^pk_(?:live|test)_\w*$/,
  // https://supabase.com/docs/guides/api/api-keys
  /^sb_publishable_[\w-]*$/,
  // https://docs.mapbox.com/api/accounts/tokens/#token-format
  /^pk\.eyJ[\w-]*(?:\.[\w-]*)?$/,
  // https://langfuse.com/faq/all/lost-secret-key
  /^pk-lf-[\w-]*$/,
  // https://posthog.com/docs/api
  /^phc_\w*$/,
  // https://developer.squareup.com/docs/build-basics/access-tokens: ids of applications
  /^(?:sandbox-)?sq0id[pb]-[\w-]*$/,
  // https://www.mongodb.com/docs/atlas/configure-api-access: ids of service accounts
  /^mdb_sa_id_\w*$/,
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html: users, roles, groups, policies and so on
  /^A(?:GPA|IDA|IPA|NPA|NVA|PKA|ROA|SCA)[A-Z2-7]{16,17}$/,
  // https://developers.google.com/identity/protocols/oauth2: client ids
  /^\d{6,24}-\w{16,48}\.apps\.googleusercontent\.com$/,
];

const PUBLIC_FORM = new RegExp(PUBLIC_FORMS.map(({ source }) => source).join('|'));
/** Longer than any of them. */
const MAX_PUBLIC = 1024;

export function isPublicPart(value: string): boolean {
  return value.length <= MAX_PUBLIC && PUBLIC_FORM.test(value);
}
