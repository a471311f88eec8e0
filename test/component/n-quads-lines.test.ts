import { describe, expect, it } from 'vitest';
import { readSoundLines } from '../../src/component/rdf/n-quads-lines.js';
import { expectLinear } from '../support/processor-time.js';

const LINE = (s: string, o: string, graph = '') =>
  `<http://c.example/${s}> <http://p.example/> ${o} ${graph}.`;

function read(...lines: readonly string[]) {
  const quads: string[] = [];
  const refused: [string | undefined, string][] = [];
  readSoundLines(
    lines.join('\n'),
    ({ subject, object }) => quads.push(`${subject.value} ${object.value}`),
    (graph, why) => refused.push([graph, why]),
  );
  return { quads, refused };
}

describe('N-Quads of which some lines are wrong', () => {
  it('are read but for those lines, whose graphs are told', () => {
    const { quads, refused } = read(
      LINE('a', '"a . b" ', '<http://g.example/1> '),
      LINE('b', '<http://bad.example/{x}> ', '<http://g.example/2> '),
      LINE('c', '"{|} <{>"@en ', '<http://bad.example/{y}> '),
      LINE('d', '<http://bad.example/`> '),
      '# a comment',
      '',
      LINE('e', '"e"'),
    );
    expect(quads).toEqual(['http://c.example/a a . b', 'http://c.example/e e']);
    expect(refused).toEqual([
      ['http://g.example/2', expect.stringContaining('{x}')],
      ['http://bad.example/{y}', expect.stringContaining('{y}')],
      [undefined, expect.stringContaining('`')],
    ]);
  });

  it('keep the names of blank nodes from line to line, also over thousands of lines', () => {
    const lines = Array.from({ length: 1200 }, () => LINE('a', '_:x '));
    const { quads, refused } = read(...lines, LINE('b', '<{> '), LINE('c', '_:x '));
    expect(new Set(quads.map((line) => line.split(' ')[1])).size).toBe(1);
    expect(quads).toHaveLength(1201);
    expect(refused).toHaveLength(1);
  });

  it.each([
    '<http://c.example/a',
    '<http://c.example/a> <http://p.example/> "x',
    'nonsense',
    '<a> <b> <c> <d> <e> .',
  ])('are refused as a whole where nobody knows whose a line is: %s', (line) => {
    expect(() => read(LINE('a', '"a"'), line)).toThrow(/line 2 is no statement/);
  });

  it.each([
    ['escaped quotes', '\\"', (text: string) => `<"${text}> <p> <o> .`],
    ['signs of IRIs', '<', (text: string) => `<s> <p> _:${text} .`],
  ])('cost what their length costs: %s', async (_, part, line) => {
    const tried = (length: number) => {
      try {
        read(line(part.repeat(length)));
      } catch {
        // What is no statement is refused: it matters here how long that takes.
      }
    };
    await expectLinear(10_000, tried);
  });
});
