import type { Markup } from './page.js';

/** A text, or a text with elements in it; nothing where a condition does not hold. */
export type Phrase = string | Markup | false | undefined;

export interface RowProps {
  /** By which the script of a live page knows it again. */
  readonly name?: string;
  readonly head: Phrase | readonly Phrase[];
  /** One line each, below the head. */
  readonly notes?: readonly Phrase[];
  /** Buttons. */
  readonly deeds?: readonly Phrase[];
}

/** What a list has to say of one thing. */
export function Row({ name, head, notes = [], deeds = [] }: RowProps): Markup {
  return (
    <li data-key={name}>
      {head}
      {notes.map((note) => note && <small>{note}</small>)}
      {deeds.some(Boolean) && <span class="actions">{deeds}</span>}
    </li>
  );
}

export function Rows({ rows }: { readonly rows: readonly RowProps[] }): Markup {
  return (
    <ul class="rows">
      {rows.map((row) => (
        <Row {...row} />
      ))}
    </ul>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly children?: unknown;
}

export function Section({ id, title, children }: SectionProps): Markup {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
