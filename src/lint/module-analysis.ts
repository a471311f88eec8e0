import {
  type AnyNode,
  type Expression,
  type ModuleDeclaration,
  Parser,
  type Program,
  type Statement,
} from 'acorn';
import type { Task } from '../lib/pool/task.js';
import { advice, type Finding, fault, ok } from './finding.js';

const EXPORT_IT = 'export the class of the element: export default class extends HTMLElement { … }';

/** Longest time for parsing a module of a stranger, in ms; one that takes longer is refused. Real forms and editors are long. */
const LIMIT_MS = { any: 150, perKilobyte: 1 };
/** The clock is read once in so many tokens. */
const CHECK_EVERY = 256;

/** Does not validate regular expressions: for a single one, that can take minutes. */
class ModuleParser extends Parser {
  validateRegExpPattern(): void {
    // An invalid one is found when the module runs in a browser.
  }
}

interface Analysed {
  readonly text: string;
  readonly limitMs?: number | undefined;
  readonly declaresElement: boolean;
}

/** Analyses the text of a module in a worker. */
export const analyseTask: Task<Analysed, Finding[]> = {
  module: 'lint/module-analysis.js',
  name: 'analyseTask',
  run: ({ text, ...how }) => [analyseModule(text, how)],
};

/**
 * Checks a module without running it: does it parse, does it import others, does it export or define an element? The
 * text is never evaluated. `limitMs`: longest time for parsing. `declaresElement`: does its description say how the element is
 * called? Then it is used under that name, wherever it is defined.
 */
export function analyseModule(
  source: string,
  {
    limitMs = LIMIT_MS.any + Math.round((source.length / 1000) * LIMIT_MS.perKilobyte),
    declaresElement = false,
  }: Partial<Omit<Analysed, 'text'>> = {},
): Finding[] {
  const program = parseModule(source, limitMs);
  if (typeof program === 'string') {
    return [
      fault(
        `it does not parse as an ES module: ${program}`,
        'send what a browser can run, without a step in between',
      ),
    ];
  }
  const imports = importFindings(program);
  return [ok('it parses as an ES module'), ...imports, ...(declaresElement ? [] : [elementFinding(program)])];
}

/** @returns what is wrong, as a text, when it is no ES module or takes too long */
function parseModule(source: string, limitMs: number): Program | string {
  try {
    return ModuleParser.parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      onToken: deadline(limitMs),
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @returns a function, to be called for each token, that throws when parsing has taken too long */
function deadline(limitMs: number): () => void {
  const began = performance.now();
  let tokens = 0;
  return () => {
    if (++tokens % CHECK_EVERY === 0 && performance.now() - began > limitMs) {
      throw new Error(`it takes more than ${limitMs} ms`);
    }
  };
}

const FIXED_IMPORTS =
  'import it by an address that stands in the module: what is worked out while it runs cannot be pinned';

/**
 * What the text of a module imports, as it is written there, at once or while it runs; `undefined` for what only shows when
 * it runs. @throws SyntaxError
 */
export function importsIn(source: string): (string | undefined)[] {
  const program = ModuleParser.parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
  return [...staticImports(program), ...dynamicImports(program)];
}

function staticImports(program: Program): string[] {
  return program.body.flatMap((statement) => {
    const source = 'source' in statement ? statement.source : undefined;
    return typeof source?.value === 'string' ? [source.value] : [];
  });
}

/** The sources of `import(…)`; `undefined` for one that only shows when it runs. */
function dynamicImports(program: Program): (string | undefined)[] {
  return [...nodesOf(program)].flatMap((node) =>
    node.type === 'ImportExpression' ? [literalText(node.source)] : [],
  );
}

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

function literalText(node: AnyNode): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

function importFindings(program: Program): Finding[] {
  return [
    ...staticImports(program).map((source) => importFinding(source, 'it imports')),
    ...dynamicImports(program).map((source) =>
      source === undefined
        ? advice('it imports other modules while it runs', FIXED_IMPORTS)
        : importFinding(source, 'while it runs, it imports'),
    ),
  ];
}

/** Can a browser find it without an import map? */
export function isAddress(specifier: string): boolean {
  return /^(\.{0,2}\/|https?:)/.test(specifier);
}

function importFinding(source: string, how: string): Finding {
  return isAddress(source)
    ? advice(
        `${how} ${source}`,
        'bundle it into the module where you can: nodes pin each file, and browsers without integrity in import maps refuse more than one',
      )
    : fault(
        `${how} ${source}, which no browser can find, and nobody can pin`,
        'bundle the package into the module',
      );
}

function elementFinding(program: Program): Finding {
  const element = elementIn(program);
  switch (element.kind) {
    case 'class':
      return ok(`${element.how} an element class`);
    case 'defined':
      return advice(
        'it defines an element, and exports none',
        `${EXPORT_IT}; hosts choose the tag name then`,
      );
    case 'unknown':
      return advice(
        `what it exports is ${element.what}: whether that is an element shows only when it runs`,
        EXPORT_IT,
      );
    case 'no element':
      return fault(`its default export is ${element.what}`, EXPORT_IT);
    case 'nothing':
      return fault('it exports no element class and defines no element', EXPORT_IT);
  }
}

type Found =
  | { readonly kind: 'class'; readonly how: string }
  | { readonly kind: 'unknown' | 'no element'; readonly what: string }
  | { readonly kind: 'defined' | 'nothing' };

function elementIn({ body }: Program): Found {
  const known = topLevelValues(body);
  const exported = exportsOf(body);
  const fallback = exported.get('default');
  if (fallback) return judge(resolve(fallback, known), 'its default export is');
  for (const value of exported.values()) {
    const found = judge(resolve(value, known), 'it exports');
    if (found.kind === 'class') return found;
  }
  return body.some(definesElement) ? { kind: 'defined' } : { kind: 'nothing' };
}

function judge(value: AnyNode | undefined, how: string): Found {
  switch (value?.type) {
    case 'ClassDeclaration':
    case 'ClassExpression': {
      return value.superClass
        ? { kind: 'class', how }
        : { kind: 'no element', what: 'a class that extends nothing' };
    }
    case 'Literal':
    case 'TemplateLiteral':
    case 'ObjectExpression':
    case 'ArrayExpression':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return { kind: 'no element', what: NAMES[value.type] };
    default:
      return { kind: 'unknown', what: 'the result of a computation' };
  }
}

const NAMES = {
  Literal: 'a plain value',
  TemplateLiteral: 'a text',
  ObjectExpression: 'an object',
  ArrayExpression: 'an array',
  FunctionDeclaration: 'a function',
  FunctionExpression: 'a function',
  ArrowFunctionExpression: 'a function',
} as const;

type Body = readonly (Statement | ModuleDeclaration)[];

/** The values of the names that are declared at the top level of a module. */
function topLevelValues(body: Body): Map<string, AnyNode> {
  const values = new Map<string, AnyNode>();
  for (const statement of body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' && statement.declaration
        ? statement.declaration
        : statement;
    if (declaration.type === 'ClassDeclaration' || declaration.type === 'FunctionDeclaration') {
      values.set(declaration.id.name, declaration);
    }
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && init) values.set(id.name, init);
    }
  }
  return values;
}

/** The exports of a module by name: each the value itself, or the identifier of it. */
function exportsOf(body: Body): Map<string, AnyNode> {
  const exported = new Map<string, AnyNode>();
  for (const statement of body) {
    if (statement.type === 'ExportDefaultDeclaration') exported.set('default', statement.declaration);
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    for (const { local, exported: name } of statement.specifiers) {
      exported.set(name.type === 'Identifier' ? name.name : String(name.value), local);
    }
    if (statement.declaration)
      for (const [name, value] of topLevelValues([statement])) exported.set(name, value);
  }
  return exported;
}

function resolve(value: AnyNode, known: ReadonlyMap<string, AnyNode>): AnyNode | undefined {
  let at: AnyNode | undefined = value;
  for (let steps = 0; at?.type === 'Identifier' && steps < 10; steps++) at = known.get(at.name);
  return at;
}

/** Is the statement `customElements.define(…)`, or `window.customElements.define(…)`? */
function definesElement(statement: Statement | ModuleDeclaration): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  return expressionsIn(statement.expression).some(
    (one) =>
      one.type === 'CallExpression' &&
      one.callee.type === 'MemberExpression' &&
      nameOf(one.callee.property) === 'define' &&
      /^customElements$/.test(nameOf(one.callee.object) ?? ''),
  );
}

/** The expression, or its parts where operators combine several (`a || define(…)`, sequences in minified code). */
function expressionsIn(expression: Expression): Expression[] {
  if (expression.type === 'SequenceExpression') return expression.expressions.flatMap(expressionsIn);
  if (expression.type === 'LogicalExpression') return expressionsIn(expression.right);
  return [expression];
}

function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? nameOf(node.property) : undefined;
}
