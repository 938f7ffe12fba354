/** An answer to a question that names what is asked for: on the same line, or behind the name of who answers on the next one. */

const SPEAKER = String.raw`(?:\[[^\]\r\n]{1,24}\][ \t]{0,2})?[<@*]{0,2}\p{L}[^\r\n:：]{0,24}[:：>][*]{0,2}[ \t]{0,2}`;
const MAX_QUESTION = 80;
const MAX_MORE = 24;

/** Where neither a question nor a line ends soon, nobody answers: seen at once, it spares all ways to divide what stands there. */
const ENDS_SOON = String.raw`(?=[^\r\n\d?？]{0,${MAX_QUESTION + MAX_MORE}}[\r\n?？])`;

/** Up to the answer's value: the rest of the question, who answers, and words before the value. */
export const ANSWERED = String.raw`${ENDS_SOON}[^\r\n\d?？]{0,${MAX_QUESTION}}(?:[?？]["”»)]?[ \t]{1,2}|[?？]?[^\r\n\d?？]{0,${MAX_MORE}}(?:\r?\n){1,2}${SPEAKER})(?:[^\r\n\d]{0,40}?[^\r\n\p{Lu}\d_.-])?`;

const REQUEST =
  /[?？]|please|could you|can you|confirm|provide|verify|tell me|need your|what(?:'s| is) your|bitte|nennen|bestätigen|veuillez|confirmer|pourriez|s['’]il|merci de|por favor|confirm|indi[cq]|dígame|digame|necesito|facilit|preciso|per favore|può|conferm|mi dica|alstublieft|graag|kunt u|proszę|prosz|podać|пожалуйста|назовите|укажите|подтверд|продиктуйте|будь ласка|назвіть|вкажіть|lütfen|παρακαλώ|prosím|kérem|vänligen|vennligst|venligst|ole hyvä|请|請|提供|お願い|教えて|ください|いただけ|부탁|말씀|알려|주세요|확인/iu;

/** @param end where the answer's value begins */
export function isRequest(text: string, at: number, end: number): boolean {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return REQUEST.test(text.slice(Math.max(line, at - MAX_QUESTION), end).split('\n', 1)[0] ?? '');
}
