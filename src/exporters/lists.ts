/** How a list of an export is made of what it holds. */
export type ListOf = <A, B>(items: readonly A[], make: (item: A) => B) => readonly B[];

export const madeAtOnce: ListOf = (items, make) => items.map(make);
