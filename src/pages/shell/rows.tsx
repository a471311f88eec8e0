import type { Markup } from './page.js';

/** A text, or a text with elements in it; nothing where a condition does not hold. */
export type Phrase = string | Markup | false | undefined;

export interface RowProps {
  readonly head: Phrase | readonly Phrase[];
  /** One line each, below the head. */
  readonly notes?: readonly Phrase[];
  /** Buttons. */
  readonly deeds?: readonly Phrase[];
}

/** What a list has to say of each thing. */
export function Rows({ rows }: { readonly rows: readonly RowProps[] }): Markup {
  return (
    <ul class="rows">
      {rows.map(({ head, notes = [], deeds = [] }) => (
        <li>
          {head}
          {notes.map((note) => note && <small>{note}</small>)}
          {deeds.some(Boolean) && <span class="actions">{deeds}</span>}
        </li>
      ))}
    </ul>
  );
}
