import { textBefore } from '../characters.ts';

/** Numbers of things and how many there are: they look as numbers of people and accounts do. */

const THING =
  /(?:^|[^\p{L}])(?:order|invoice|ticket|lot|batch|seq|sequence|sku|part|shipment|tracking|build|version|release|revision|offset|total|subtotal|sum|count|population|bestellung|auftrag|rechnung|charge|bevölkerung|summe|gesamt|commande|facture|lote|pedido|factura|fattura|ordine|población|заказ|партия|итого|всего|население)(?:[ _-]?(?:no|nr|num|number|id|code|nummer|n[º°]))?\.?["'\\]{0,4}[ \t]{0,2}[:=#]?[ \t]{0,2}["'\\#]{0,4}$/iu;
/** The longest such word, one for its number and signs. */
const MAX_BEFORE = 40;

/** The word for a thing that is ordered, made or counted up stands right before. */
export function isOfThing(text: string, at: number): boolean {
  return THING.test(textBefore(text, at, MAX_BEFORE));
}

/** What is counted, behind a number; a source of patterns with the flags `iu`. */
export const COUNTED = String.raw`[ \t](?:people|persons|inhabitants|patients|users|customers|members|rows|records|entries|lines|items|times|tokens|bytes|characters|requests|accounts|beneficiaries|personen|menschen|zeilen|einträge|personnes|lignes|personas|filas|pessoas|linhas|persone|righe|osób|строк|человек)(?!\p{L})|[桁位件行个個字回人]|자리|글자`;
