// The state of the academy in this folder, which is written only from the API document.

export type Json = Record<string, unknown>;
export type Kind = 'course' | 'bundle' | 'digital_product';
export type Status = 'paid' | 'wallet_executed' | 'pending' | 'failed' | 'refunded';

export interface Product {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly isChallenge: boolean;
  readonly courses: readonly number[];
  readonly digitals: readonly number[];
  readonly attributes: Json & { title: string; is_published: boolean };
}

export interface Student {
  readonly id: number;
  name: string;
  readonly email: string;
  readonly at: number;
  paying: boolean;
  /** Course id to percent. */
  readonly percents: Map<number, number>;
  readonly roles: Set<number>;
}

export interface Order {
  /** The public value. */
  readonly id: string;
  /** The row number, which the API does not show. */
  readonly number: number;
  readonly at: number;
  amount: string;
  readonly currency: string;
  status: Status;
  /** The email entered at the purchase: its letter case may differ from the student's. */
  readonly email: string;
  readonly student: number;
  readonly country: string;
  /** Paid back or otherwise undone, although its status says that it is paid. */
  undone?: boolean;
  courses: number[];
  bundles: number[];
  digitals: number[];
}

export interface Module {
  readonly id: number;
  readonly course: number;
  readonly title: string;
  readonly sequence: number;
}

export interface Lesson {
  readonly id: number;
  readonly course: number;
  module: number | null;
  sequence: number;
  fields: Json & { title: string; is_published: boolean };
}

export interface Channel {
  readonly id: number;
  readonly slug: string;
  fields: Json & { name: string };
}

export interface Post {
  readonly id: number;
  readonly channel: number;
  readonly topic: number;
  readonly author: number;
  readonly at: number;
  readonly content: string;
  gone?: boolean;
}

export interface State {
  readonly products: Product[];
  readonly students: Student[];
  readonly orders: Order[];
  readonly modules: Module[];
  readonly lessons: Lesson[];
  readonly channels: Channel[];
  readonly posts: Post[];
  readonly roles: { readonly id: number; readonly name: string }[];
}

export const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const sameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The matching element, which must exist: without it, the harness would test nothing. */
export function must<Item>(item: Item | undefined, what: string): Item {
  if (item === undefined) throw new Error(`the data hold no ${what}`);
  return item;
}

export function productOf({ products }: Pick<State, 'products'>, kind: Kind, id: number): Product | undefined {
  return products.find((product) => product.kind === kind && product.id === id);
}

export function titled({ products }: Pick<State, 'products'>, kind: Kind, ids: readonly number[]): Json[] {
  return ids.map((id) => ({ id, title: productOf({ products }, kind, id)?.attributes.title }));
}

export function totalCompletion({ percents }: Student): number {
  const all = [...percents.values()];
  return all.length === 0 ? 0 : Math.floor(all.reduce((sum, percent) => sum + percent, 0) / all.length);
}
