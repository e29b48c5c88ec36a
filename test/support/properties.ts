import { type Row, row } from './academy.ts';

/** The properties of an object's JSON Schema. */
export function propertiesOf(schema: Row): Record<string, Row> {
  const properties = Object.entries(row(schema.properties ?? {}));
  return Object.fromEntries(properties.map(([name, property]) => [name, row(property)]));
}
