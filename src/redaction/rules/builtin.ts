import type { Rule } from '../rule.ts';
import { ANNOUNCED_CODE_RULES } from './announced-codes.ts';
import { ANNOUNCED_KEY_RULES } from './announced-keys.ts';
import { ANNOUNCED_PASSWORD_RULES } from './announced-passwords.ts';
import { CONTEXT_RULES } from './context.ts';
import { CLIENT_KEY_RULES } from './client-keys.ts';
import { COMMAND_RULES } from './command-secrets.ts';
import { MACHINE_MADE_KEY_RULES } from './machine-made-keys.ts';
import { FILE_RULES } from './file-secrets.ts';
import { FLAG_RULES } from './flags.ts';
import { URL_RULES } from './urls.ts';
import { ACCOUNT_RULES } from './account.ts';
import { ADDRESS_RULES } from './address.ts';
import { ADDRESS_FORM_RULES } from './address-forms.ts';
import { ANNOUNCED_ADDRESS_RULES } from './address-announced.ts';
import { FIELD_RULES } from './field-values.ts';
import { EMAIL_RULES } from './email.ts';
import { ANNOUNCED_ID_RULES } from './announced-id.ts';
import { BIRTH_RULES } from './birth.ts';
import { KEY_RULES } from './keys.ts';
import { NAME_RULES } from './names.ts';
import { NATIONAL_ID_RULES } from './national-id.ts';
import { OPAQUE_RULES } from './opaque.ts';
import { NETWORK_RULES } from './network.ts';
import { CARD_RULES } from './card.ts';
import { PERSONAL_RULES } from './personal.ts';
import { PHONE_RULES } from './phone.ts';
import { BYTE_RULES } from './byte-values.ts';
import { CALL_RULES } from './call-secrets.ts';
import { CODE_VALUE_RULES } from './code-values.ts';
import { DECLARED_RULES } from './declared-secrets.ts';
import { FILLED_FORM_RULES } from './filled-forms.ts';
import { LOGIN_CALL_RULES } from './login-calls.ts';
import { DEVICE_RULES } from './device-secrets.ts';
import { SERVER_FILE_RULES } from './server-files.ts';
import { PROTOCOL_RULES } from './protocol-secrets.ts';
import { TABLE_PEOPLE_RULES } from './table-people.ts';
import { TABLE_RULES } from './table-secrets.ts';
import { STATEMENT_RULES } from './statements.ts';
import { WALLET_RULES } from './wallet.ts';
import { WORDED_KEY_RULES } from './worded-keys.ts';
import { AI_PROVIDER_RULES } from './provider-ai.ts';
import { CLOUD_PROVIDER_RULES } from './provider-cloud.ts';
import { CODE_PROVIDER_RULES } from './provider-code.ts';
import { DATA_PROVIDER_RULES } from './provider-data.ts';
import { IDENTITY_PROVIDER_RULES } from './provider-identity.ts';
import { MESSAGING_PROVIDER_RULES } from './provider-messaging.ts';
import { MONEY_PROVIDER_RULES } from './provider-money.ts';
import { SECRET_ADDRESS_RULES } from './secret-addresses.ts';
import { SPOKEN_PASSWORD_RULES } from './spoken-passwords.ts';
import { ANNOUNCED_CODE_LIST_RULES } from './announced-code-lists.ts';
import { SPOKEN_CODE_RULES } from './spoken-codes.ts';
import { alsoDecorated } from '../undecorated.ts';

/** In order of rank: of findings that overlap, the first of this list names the marker. */
export const BUILTIN_RULES: readonly Rule[] = [
  ...OPAQUE_RULES,
  ...KEY_RULES,
  ...CODE_PROVIDER_RULES,
  ...CLOUD_PROVIDER_RULES,
  ...AI_PROVIDER_RULES,
  ...MESSAGING_PROVIDER_RULES,
  ...MONEY_PROVIDER_RULES,
  ...DATA_PROVIDER_RULES,
  ...IDENTITY_PROVIDER_RULES,
  ...SECRET_ADDRESS_RULES,
  ...WORDED_KEY_RULES,
  ...CONTEXT_RULES.map(alsoDecorated),
  ...URL_RULES,
  ...FLAG_RULES,
  ...COMMAND_RULES,
  ...FILE_RULES,
  ...DEVICE_RULES,
  ...SERVER_FILE_RULES,
  ...STATEMENT_RULES,
  ...CODE_VALUE_RULES,
  ...DECLARED_RULES,
  ...CALL_RULES,
  ...TABLE_RULES,
  ...PROTOCOL_RULES,
  ...LOGIN_CALL_RULES,
  ...FILLED_FORM_RULES,
  ...CLIENT_KEY_RULES,
  ...BYTE_RULES,
  ...ANNOUNCED_PASSWORD_RULES.map(alsoDecorated),
  ...SPOKEN_PASSWORD_RULES,
  ...ANNOUNCED_KEY_RULES.map(alsoDecorated),
  ...MACHINE_MADE_KEY_RULES,
  ...ANNOUNCED_CODE_RULES.map(alsoDecorated),
  ...SPOKEN_CODE_RULES,
  ...ANNOUNCED_CODE_LIST_RULES,
  ...WALLET_RULES,
  ...NETWORK_RULES,
  ...EMAIL_RULES,
  ...PERSONAL_RULES.map(alsoDecorated),
  ...ACCOUNT_RULES.map(alsoDecorated),
  ...BIRTH_RULES.map(alsoDecorated),
  ...NATIONAL_ID_RULES,
  ...ANNOUNCED_ID_RULES,
  ...TABLE_PEOPLE_RULES,
  ...CARD_RULES,
  ...PHONE_RULES,
  ...FIELD_RULES,
  ...ADDRESS_RULES,
  ...ANNOUNCED_ADDRESS_RULES,
  ...ADDRESS_FORM_RULES,
  ...NAME_RULES,
];
