import type { AnyNode, NewExpression, ObjectExpression, Program } from 'acorn';
import { advice, type Finding } from './finding.js';

/** The events by which components ask for data, also under the names that they had in earlier hosts. */
const DATA_EVENT = /^(?:component-data-(?:read|write|append)|semcom-data-(?:read|write))$/;
/** How many stylesheets are named. */
const NAMED = 5;

/** What the text of a module shows of how it deals with the page around it. `imports`: does it import other modules? */
export function usageFindings(program: Program, imports: boolean): Finding[] {
  const nodes = [...nodesOf(program)];
  const texts = nodes.flatMap(textOf);
  return [
    ...(imports || texts.includes('entry') ? [] : [NO_ENTRY]),
    ...(nodes.some((node) => isDeafEvent(node, texts)) ? [DEAF_EVENTS] : []),
    ...stylesheetFindings(texts),
  ];
}

/** The sources of `import(…)`; `undefined` for one that only shows when it runs. */
export function dynamicImports(program: Program): (string | undefined)[] {
  return [...nodesOf(program)].flatMap((node) =>
    node.type === 'ImportExpression' ? [literalText(node.source)] : [],
  );
}

const NO_ENTRY = advice(
  'nothing in it reads the attribute entry',
  'hosts name the data to show there: observe it, or read it when the element is connected',
);
const DEAF_EVENTS = advice(
  'its data events do not bubble, or end at the shadow root that they come from',
  'dispatch them with bubbles: true and composed: true; many hosts listen at the document only',
);

/** All nodes of a program. A list instead of recursion: a program may be nested deeper than the call stack is high. */
function* nodesOf(program: Program): Generator<AnyNode> {
  const waiting: unknown[] = [program];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isNode(next)) yield next;
    if (typeof next !== 'object' || next === null || next instanceof RegExp) continue;
    for (const value of Object.values(next))
      if (typeof value === 'object' && value !== null) waiting.push(value);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function textOf(node: AnyNode): string[] {
  if (node.type === 'Identifier') return [node.name];
  if (node.type === 'TemplateElement') return [node.value.cooked ?? node.value.raw];
  return node.type === 'Literal' && typeof node.value === 'string' ? [node.value] : [];
}

function literalText(node: AnyNode | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** Is this a data event that a listener at the document does not hear from inside a shadow root? */
function isDeafEvent(node: AnyNode, texts: readonly string[]): boolean {
  if (node.type !== 'NewExpression' || calleeOf(node) !== 'CustomEvent') return false;
  const [name, options] = node.arguments;
  const type = literalText(name);
  if (type !== undefined && !DATA_EVENT.test(type)) return false;
  if (options === undefined) return type !== undefined;
  // Whether options that are not written down here say so shows only when it runs.
  if (options.type !== 'ObjectExpression') return false;
  // A name that is computed counts where data events are named at all, and the event carries something.
  if (type === undefined && !(texts.some((text) => DATA_EVENT.test(text)) && has(options, 'detail')))
    return false;
  return !has(options, 'bubbles') || !has(options, 'composed');
}

function calleeOf({ callee }: NewExpression): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
    ? callee.property.name
    : undefined;
}

/** Does an object have a property that is not written down as false? Yes, if others are spread into it. */
function has({ properties }: ObjectExpression, wanted: string): boolean {
  return properties.some((property) => {
    if (property.type === 'SpreadElement') return true;
    const { key, value } = property;
    const name = key.type === 'Identifier' ? key.name : literalText(key);
    return name === wanted && !isFalse(value);
  });
}

/** `false`, or `!1` as minifiers write it. */
function isFalse(value: AnyNode): boolean {
  if (value.type === 'UnaryExpression') return value.operator === '!' && isTruthy(value.argument);
  return value.type === 'Literal' && !value.value;
}

function isTruthy(value: AnyNode): boolean {
  return value.type === 'Literal' && Boolean(value.value);
}

function stylesheetFindings(texts: readonly string[]): Finding[] {
  const found = new Set(texts.flatMap((text) => [...stylesheetsIn(text)]));
  return [...found]
    .slice(0, NAMED)
    .map((url) =>
      advice(
        `it loads the stylesheet ${url}`,
        'write the style into the module: a component is a single file, and pages with a policy refuse other hosts',
      ),
    );
}

/** How much is looked at of one place in a text, in characters: enough for an address, and little for a long text. */
const WINDOW = 400;

/** The stylesheets of other hosts that a text of CSS or HTML loads, or that it is the address of. */
function* stylesheetsIn(text: string): Generator<string> {
  if (text.length <= WINDOW && /^(?:https?:)?\/\/[^\s"'<>]+\.css(?:[?#]\S*)?$/i.test(text)) yield text;
  for (const piece of piecesFrom(text, '@import')) {
    const [, url] = /^@import\s+(?:url\(\s*)?["']?((?:https?:)?\/\/[^"')\s;]+)/i.exec(piece) ?? [];
    if (url !== undefined) yield url;
  }
  for (const piece of piecesFrom(text, '<link')) {
    const tag = piece.slice(0, piece.indexOf('>') + 1 || piece.length);
    const [, url] = /\shref\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/i.exec(tag) ?? [];
    if (url !== undefined && /stylesheet/i.test(tag)) yield url;
  }
}

function* piecesFrom(text: string, word: string): Generator<string> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    yield text.slice(at, at + WINDOW);
  }
}
