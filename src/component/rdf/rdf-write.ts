import type { Quad, Term } from '@rdfjs/types';
import { DataFactory, Writer } from 'n3';
import { percentEncoded } from '../../lib/iri.js';
import { type Vocabulary, XSD } from '../vocabulary.js';

/** Media types that quads are written in; the last two have named graphs. */
type WrittenMediaType = 'text/turtle' | 'application/n-triples' | 'application/n-quads' | 'application/trig';

/**
 * Writes quads in portions, so that a listing of any length can be streamed.
 *
 * `prefixes`: the namespaces that Turtle and TriG shorten, by name; those of plain metadata when absent. An underscore is
 * put behind each name: no scheme of an IRI has one (RFC 3986, section 3.1), and n3 takes an IRI that begins with a name
 * and a colon for a shortened one. Strangers choose the IRIs of shapes, `semcom:label` for instance.
 */
export function createQuadWriter(
  format: WrittenMediaType,
  vocabulary: Vocabulary,
  prefixes: Readonly<Record<string, string>> = { semcom: vocabulary.namespace, xsd: XSD },
) {
  let text = '';
  let last = '';
  const sink = {
    write(chunk: string, _encoding: string, done?: () => void) {
      // n3 ends a statement by a point right behind its object, and serd 0.30 reads `2.` as a text.
      if (chunk.startsWith('.') && /\w$/.test(last)) text += ' ';
      text += chunk;
      last = chunk;
      done?.();
    },
    end(done?: () => void) {
      done?.();
    },
  };
  const take = () => {
    const taken = text;
    text = '';
    return taken;
  };
  const isPrefixed = format === 'text/turtle' || format === 'application/trig';
  const names = Object.entries(prefixes).map(([name, namespace]) => [`${name}_`, namespace]);
  const shortened = isPrefixed ? { prefixes: Object.fromEntries(names) } : {};
  const writer = new Writer(sink, { format, end: false, ...shortened });
  return {
    /** Adds quads, and returns the text that is complete so far. */
    write(quads: Iterable<Quad>): string {
      for (const quad of quads) writer.addQuad(readable(quad));
      return take();
    },
    /** Returns the rest of the text. */
    end(): string {
      writer.end();
      return take();
    },
  };
}

/** What readers stumble over in an IRI: they refuse the whole text then. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are part of it
const UNREADABLE = /[\u0000-\u0020<>"{}|\\^`]/;

/** What is stored has been checked; but what an earlier version has stored, or a fault lets in, must not spoil the rest. */
function readable(quad: Quad): Quad {
  const { subject, predicate, object, graph } = quad;
  if (![subject, predicate, object, graph].some(isUnreadable)) return quad;
  const [s, p, o, g] = [subject, predicate, object, graph].map((term) =>
    isUnreadable(term) ? DataFactory.namedNode(percentEncoded(term.value)) : term,
  );
  return DataFactory.quad(s as never, p as never, o as never, g as never) as Quad;
}

function isUnreadable({ termType, value }: Term): boolean {
  return termType === 'NamedNode' && UNREADABLE.test(value);
}
