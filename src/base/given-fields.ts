type Fields = Readonly<Record<string, unknown>>;

/** Without what is undefined, and without empty lists: gRPC can't tell one from none, so nobody does. */
export function givenFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
