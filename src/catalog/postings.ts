import { indexedValues } from '../component/canonical-shape.js';
import type { FoundBy } from '../component/writing/listing-text.js';
import type { Breather } from '../lib/pace.js';
import { type Edits, edited, placeFrom } from './edited.js';
import type { Component } from './entry.js';

/** Fields whose values lead to components. */
export const POSTED_FIELDS = ['shapes', 'tag', 'author'] as const;
export type PostedField = (typeof POSTED_FIELDS)[number];

/** Components in the order of their uris. Never changed in place. */
export type Components = readonly Component[];
export const NO_COMPONENTS: Components = [];

/** For each value of one field, the components that are served with it. */
export type Postings = ReadonlyMap<string, Components>;

/** Which components have which values of one field, as numbers: an array for each value would be made again and again as it grows. */
class NumberedPostings {
  readonly #numbers = new Map<string, number>();
  /** How many components each value has. */
  readonly #lengths: number[] = [];
  /** Of one component after another, the numbers of its values. */
  #values = new Uint32Array(1024);
  #size = 0;

  add(values: readonly string[]): void {
    if (this.#size + values.length > this.#values.length) this.#grow();
    for (const value of values) {
      let number = this.#numbers.get(value);
      if (number === undefined) {
        number = this.#lengths.push(0) - 1;
        this.#numbers.set(value, number);
      }
      this.#lengths[number] = (this.#lengths[number] ?? 0) + 1;
      this.#values[this.#size++] = number;
    }
  }

  /** @param components in the order in which they were added @param counts how many values each of them has */
  async lists(
    components: Components,
    counts: Uint8Array,
    breathe: Breather,
  ): Promise<Map<string, Components>> {
    const lists = this.#lengths.map((length) => new Array<Component>(length));
    const ends = new Uint32Array(lists.length);
    let at = 0;
    for (const [i, component] of components.entries()) {
      for (const end = at + (counts[i] ?? 0); at < end; at++) {
        const number = this.#values[at] as number;
        (lists[number] as Component[])[ends[number] as number] = component;
        ends[number] = (ends[number] as number) + 1;
      }
      const pause = breathe();
      if (pause) await pause;
    }
    return new Map([...this.#numbers].map(([value, number]) => [value, lists[number] ?? NO_COMPONENTS]));
  }

  #grow(): void {
    const larger = new Uint32Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
  }
}

/** The postings of components that are in the order of their uris. Gives way to other work. */
export async function postingsOf(
  components: Components,
  breathe: Breather,
): Promise<Record<PostedField, Map<string, Components>>> {
  const numbered = POSTED_FIELDS.map((field) => {
    return { field, values: new NumberedPostings(), counts: new Uint8Array(components.length) };
  });
  for (const [i, { served }] of components.entries()) {
    const { foundBy } = served;
    for (const { field, values, counts } of numbered) {
      const some = indexedValues(foundBy, field);
      values.add(some);
      counts[i] = some.length;
    }
    const pause = breathe();
    if (pause) await pause;
  }
  const lists: Partial<Record<PostedField, Map<string, Components>>> = {};
  for (const { field, values, counts } of numbered)
    lists[field] = await values.lists(components, counts, breathe);
  return lists as Record<PostedField, Map<string, Components>>;
}

/** What becomes of the components of each value of one field. */
class PostingEdits {
  readonly byValue = new Map<string, Edits<Component>[number][]>();

  add(value: string, uri: string, component: Component | undefined): void {
    const edits = this.byValue.get(value);
    if (edits) edits.push([uri, component]);
    else this.byValue.set(value, [[uri, component]]);
  }

  /** The lists that differ, by value. Gives way to other work. */
  async lists(postings: Postings, breathe: Breather): Promise<Postings> {
    const lists = new Map<string, Components>();
    for (const [value, edits] of this.byValue)
      lists.set(value, await edited(postings.get(value) ?? NO_COMPONENTS, edits, breathe));
    return lists;
  }
}

/** Collects what becomes of all postings. Components come in the order of their uris. */
export class PostingChanges {
  readonly #edits = {
    shapes: new PostingEdits(),
    tag: new PostingEdits(),
    author: new PostingEdits(),
  };

  /** @param before what was served @param after what is served from now on, as part of `component` */
  change(uri: string, before?: FoundBy, after?: FoundBy, component?: Component): void {
    for (const field of POSTED_FIELDS) {
      const values = after ? indexedValues(after, field) : [];
      for (const value of values) this.#edits[field].add(value, uri, component);
      for (const value of before ? indexedValues(before, field) : [])
        if (!values.includes(value)) this.#edits[field].add(value, uri, undefined);
    }
  }

  async lists(
    postings: Readonly<Record<PostedField, Postings>>,
    breathe: Breather,
  ): Promise<Readonly<Record<PostedField, Postings>>> {
    const of = (field: PostedField) => this.#edits[field].lists(postings[field], breathe);
    return { shapes: await of('shapes'), tag: await of('tag'), author: await of('author') };
  }
}

/** The components that are in all lists. The shortest is walked, the others are searched. Gives way to other work. */
export async function intersection(lists: readonly Components[], breathe: Breather): Promise<Components> {
  const [shortest = NO_COMPONENTS, ...others] = lists.toSorted((one, other) => one.length - other.length);
  let common = shortest;
  for (const list of others) common = await membersOf(list, common, breathe);
  return common;
}

async function membersOf(list: Components, components: Components, breathe: Breather): Promise<Components> {
  const members: Component[] = [];
  let at = 0;
  for (const component of components) {
    at = placeFrom(list, component.uri, at);
    if (list[at] === component) members.push(component);
    const pause = breathe();
    if (pause) await pause;
  }
  return members;
}

/** The components that are in one of the lists at least, each once. Gives way to other work. */
export async function union(lists: readonly Components[], breathe: Breather): Promise<Components> {
  const [longest = NO_COMPONENTS, ...others] = lists.toSorted((one, other) => other.length - one.length);
  let all = longest;
  for (const list of others)
    all = await edited(
      all,
      list.map((component) => [component.uri, component] as const),
      breathe,
    );
  return all;
}
