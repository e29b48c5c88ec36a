/** The fields of an update, without those that are undefined: TypeScript cannot know that JSON has no undefined. */
export type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
