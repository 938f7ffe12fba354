/** What postal addresses of China, Japan and Korea are made of, as sources of patterns with the flag `u`. */

/** The largest place comes first, and all is one word; a building may stand behind a blank. */
export const CJK_ADDRESS = String.raw`[\u4e00-\u9fff\u30a0-\u30ff々]{2,24}[\u4e00-\u9fff\u30a0-\u30ff々A-Za-z\d０-９－-]{2,60}(?:[ \u3000][\u4e00-\u9fff\u30a0-\u30ffA-Za-z]{1,16} ?\d{1,4}(?:号室?|號|室|階|F)?(?!\d))?`;
/** Places are words by their ends; a building, a flat and the old name of the place may follow. */
export const KOREAN_ADDRESS = String.raw`(?:[가-힣]{1,8}(?:시|도|군|구|읍|면|동|리|로|길)\d{0,3}(?:번?길)? |(?:서울|부산|대구|인천|대전|경기|강원|충북|충남|전북|전남|경북|경남) ){1,5}(?:\d{1,3}(?:번?길|가길) )?\d{1,5}(?:-\d{1,4})?(?![\d년월개])(?:번지)?(?:,? (?:[가-힣]{2,12} )?(?:\d{1,4}동 ?)?\d{1,5}호)?(?: ?\([가-힣\d, ]{2,24}\))?`;

/** A district, street or block, and the number of a house. */
export function isCjkAddress(value: string): boolean {
  return /[가-힣]|[省市区县縣區镇鎮乡路街巷弄号號府都町村丁番]/.test(value) && /[\d０-９]/.test(value);
}
