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

/** The postings of components that are in the order of their uris. Gives way to other work. */
export async function postingsOf(
  components: Components,
  breathe: Breather,
): Promise<Record<PostedField, Map<string, Components>>> {
  const postings = { shapes: new Map(), tag: new Map(), author: new Map() } satisfies Record<
    PostedField,
    Map<string, Component[]>
  >;
  for (const component of components) {
    const { foundBy } = component.served;
    for (const field of POSTED_FIELDS) {
      for (const value of indexedValues(foundBy, field)) {
        const list = postings[field].get(value);
        if (list) list.push(component);
        else postings[field].set(value, [component]);
      }
    }
    const pause = breathe();
    if (pause) await pause;
  }
  return postings;
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
