import {
  type AnyNode,
  type Expression,
  type ModuleDeclaration,
  Parser,
  type Program,
  type Statement,
} from 'acorn';
import type { Task } from '../lib/pool/task.js';
import { advice, error, type Finding, ok } from './finding.js';

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

/** @throws SyntaxError, and Error when parsing takes longer than `limitMs` */
function parsed(source: string, limitMs = Number.POSITIVE_INFINITY): Program {
  const began = performance.now();
  let tokens = 0;
  const onToken = () => {
    if (++tokens % CHECK_EVERY === 0 && performance.now() - began > limitMs)
      throw new Error(`it takes more than ${limitMs} ms`);
  };
  return ModuleParser.parse(source, { ecmaVersion: 'latest', sourceType: 'module', onToken });
}

/** What a module imports, as it is written there. */
export interface ModuleImports {
  /** At once. */
  readonly fixed: readonly string[];
  /** While it runs. */
  readonly later: readonly string[];
  /** Does it import others while it runs, whose names it works out? */
  readonly isComputed: boolean;
}

/** @throws SyntaxError */
export function importsIn(source: string): ModuleImports {
  return importsOf(parsed(source));
}

/** Finds what a module imports, in a worker. What does not parse imports nothing, and no browser runs it. */
export const importsTask: Task<string, ModuleImports> = {
  module: 'publish/module-text.js',
  name: 'importsTask',
  short: 5_000,
  // Measured with minified modules: 5 MB pass with 320.
  heapPerMb: 64,
  *run(source) {
    try {
      yield importsIn(source);
    } catch (failure) {
      if (!(failure instanceof SyntaxError)) throw failure;
      yield { fixed: [], later: [], isComputed: false };
    }
  },
};

function importsOf(program: Program): ModuleImports {
  const fixed = program.body.flatMap((statement) => {
    const source = 'source' in statement ? statement.source : undefined;
    return typeof source?.value === 'string' ? [source.value] : [];
  });
  const later = [...nodesOf(program)].flatMap((node) =>
    node.type === 'ImportExpression' ? [node.source.type === 'Literal' ? node.source.value : undefined] : [],
  );
  const named = later.filter((one) => typeof one === 'string');
  return { fixed, later: named, isComputed: named.length < later.length };
}

/** All nodes of a program. A list instead of recursion: a program may be nested deeper than the call stack is high. */
function* nodesOf(program: Program): Generator<AnyNode> {
  const waiting: unknown[] = [program];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || next instanceof RegExp) continue;
    if ('type' in next && typeof next.type === 'string') yield next as AnyNode;
    for (const value of Object.values(next))
      if (typeof value === 'object' && value !== null) waiting.push(value);
  }
}

/** Can a browser find it without an import map? */
export function isAddress(specifier: string): boolean {
  return /^(\.{0,2}\/|https?:)/.test(specifier);
}

/** `declaresElement`: does its description name its element? Then it is used under that name, wherever it is defined. */
interface Analysed {
  readonly text: string;
  /** Longest time for parsing; what is fair to strangers when absent. */
  readonly limitMs?: number | undefined;
  readonly declaresElement?: boolean;
}

/** Checks a module without running it, in a worker: does it parse, what does it import, does it export or define an element? */
export const analyseTask: Task<Analysed, Finding[]> = {
  module: 'publish/module-text.js',
  name: 'analyseTask',
  run: (module) => [[...analysed(module)]],
};

function* analysed({ text, limitMs, declaresElement = false }: Analysed): Generator<Finding> {
  const fair = LIMIT_MS.any + Math.round((text.length / 1000) * LIMIT_MS.perKilobyte);
  let program: Program;
  try {
    program = parsed(text, limitMs ?? fair);
  } catch (failure) {
    yield error('unparsed', { why: failure instanceof Error ? failure.message : String(failure) });
    return;
  }
  yield ok('parsed');
  const { fixed, later, isComputed } = importsOf(program);
  for (const specifier of fixed) yield importFinding(specifier, 'it imports');
  for (const specifier of later) yield importFinding(specifier, 'while it runs, it imports');
  if (isComputed) yield advice('computedImport');
  if (!declaresElement) yield elementFinding(program);
}

function importFinding(specifier: string, how: string): Finding {
  return isAddress(specifier)
    ? advice('otherImport', { specifier, how })
    : error('bareImport', { specifier, how });
}

function elementFinding({ body }: Program): Finding {
  const exported = exportsOf(body);
  if (exported.has('default')) {
    const kind = kindOf(exported.get('default'));
    if (kind === 'element') return ok('exported', { how: 'its default export is' });
    return kind === 'other' ? error('otherExport') : advice('computedExport');
  }
  if ([...exported.values()].some((value) => kindOf(value) === 'element'))
    return ok('exported', { how: 'it exports' });
  return body.some(definesElement) ? advice('definedOnly') : error('noElement');
}

/** What a value is, as far as its text tells. */
function kindOf(value: AnyNode | undefined): 'element' | 'other' | 'unknown' {
  if (value?.type === 'ClassDeclaration' || value?.type === 'ClassExpression')
    return value.superClass ? 'element' : 'other';
  return /Literal|Object|Array|Function/.test(value?.type ?? '') ? 'other' : 'unknown';
}

type Body = readonly (Statement | ModuleDeclaration)[];

/** The values of the names that are declared at the top level of a module. */
function declaredIn(body: Body): Map<string, AnyNode> {
  const values = new Map<string, AnyNode>();
  for (const statement of body) {
    const declaration = (statement.type === 'ExportNamedDeclaration' && statement.declaration) || statement;
    if (declaration.type === 'ClassDeclaration' || declaration.type === 'FunctionDeclaration')
      values.set(declaration.id.name, declaration);
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && init) values.set(id.name, init);
  }
  return values;
}

/** The values that a module exports, by name; undefined where its text does not tell. */
function exportsOf(body: Body): Map<string, AnyNode | undefined> {
  const declared = declaredIn(body);
  const resolved = (value: AnyNode) => {
    let at: AnyNode | undefined = value;
    for (let steps = 0; at?.type === 'Identifier' && steps < 10; steps++) at = declared.get(at.name);
    return at;
  };
  const exported = new Map<string, AnyNode | undefined>();
  for (const statement of body) {
    if (statement.type === 'ExportDefaultDeclaration')
      exported.set('default', resolved(statement.declaration));
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    for (const { local, exported: name } of statement.specifiers)
      exported.set(name.type === 'Identifier' ? name.name : String(name.value), resolved(local));
    if (statement.declaration)
      for (const [name, value] of declaredIn([statement])) exported.set(name, resolved(value));
  }
  return exported;
}

/** Is the statement `customElements.define(…)`, or `window.customElements.define(…)`? */
function definesElement(statement: Statement | ModuleDeclaration): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  return expressionsIn(statement.expression).some(
    (one) =>
      one.type === 'CallExpression' &&
      one.callee.type === 'MemberExpression' &&
      nameOf(one.callee.property) === 'define' &&
      nameOf(one.callee.object) === 'customElements',
  );
}

/** The expression, or its parts where operators combine several (`a || define(…)`, sequences in minified code). */
function expressionsIn(expression: Expression): Expression[] {
  if (expression.type === 'SequenceExpression') return expression.expressions.flatMap(expressionsIn);
  return expression.type === 'LogicalExpression' ? expressionsIn(expression.right) : [expression];
}

function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? nameOf(node.property) : undefined;
}
