import { type AnyNode, type Options, Parser, type Program } from 'acorn';
import type { Task } from '../lib/pool/task.js';
import { advice, error, type Finding, ok } from './finding.js';

/** Longest time for parsing a module of a stranger, in ms; one that takes longer is refused. Real forms and editors are long. */
const LIMIT_MS = { any: 150, perKilobyte: 1 };
/** The clock is read once in so many tokens. */
const CHECK_EVERY = 256;

/** What acorn calls with each node when it is complete, which its types leave out. */
interface NodeFinisher {
  finishNode(node: AnyNode, type: string): AnyNode;
}
const NodeParser = Parser as unknown as (new (
  options: Options,
  source: string,
) => Parser & NodeFinisher) &
  Omit<typeof Parser, 'prototype'>;

/**
 * Notes what is asked about a module while it is parsed, and drops what functions and classes consist of. So a module of
 * 5 MB takes no more than 80 MB of memory.
 */
class ModuleParser extends NodeParser {
  /** What it imports while it runs; undefined where the name is worked out. */
  readonly later: (string | undefined)[] = [];
  definesElement = false;

  override finishNode(node: AnyNode, type: string): AnyNode {
    const done = super.finishNode(node, type);
    if (done.type === 'ImportExpression') this.later.push(textOf(done.source));
    if (done.type === 'CallExpression') this.definesElement ||= definesElement(done);
    if (done.type === 'BlockStatement' || done.type === 'ClassBody') done.body = [];
    return done;
  }

  /** Does not validate regular expressions: for a single one, that can take minutes. */
  validateRegExpPattern(): void {
    // An invalid one is found when the module runs in a browser.
  }
}

interface ParsedModule extends Pick<ModuleParser, 'later' | 'definesElement'> {
  /** Without what functions and classes consist of. */
  readonly program: Program;
}

/** @throws SyntaxError, and Error when parsing takes longer than `limitMs` */
function parsed(source: string, limitMs = Number.POSITIVE_INFINITY): ParsedModule {
  const began = performance.now();
  let tokens = 0;
  const onToken = () => {
    if (++tokens % CHECK_EVERY === 0 && performance.now() - began > limitMs)
      throw new Error(`it takes more than ${limitMs} ms`);
  };
  const parser = new ModuleParser({ ecmaVersion: 'latest', sourceType: 'module', onToken }, source);
  const program = parser.parse();
  return { program, later: parser.later, definesElement: parser.definesElement };
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
export const importsTask: Task<{ readonly text: string }, ModuleImports> = {
  module: 'publish/module-text.js',
  name: 'importsTask',
  short: 5_000,
  run({ text }) {
    try {
      return importsIn(text);
    } catch (failure) {
      if (!(failure instanceof SyntaxError)) throw failure;
      return { fixed: [], later: [], isComputed: false };
    }
  },
};

function importsOf({ program, later }: ParsedModule): ModuleImports {
  const fixed = program.body.flatMap(
    (statement) => ('source' in statement && statement.source ? textOf(statement.source) : undefined) ?? [],
  );
  const named = later.filter((one) => one !== undefined);
  return { fixed, later: named, isComputed: named.length < later.length };
}

function textOf(node: AnyNode): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
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
export const analyseTask: Task<Analysed, { readonly findings: readonly Finding[] }> = {
  module: 'publish/module-text.js',
  name: 'analyseTask',
  run: (module) => ({ findings: [...analysed(module)] }),
};

function* analysed({ text, limitMs, declaresElement = false }: Analysed): Generator<Finding> {
  const fair = LIMIT_MS.any + Math.round((text.length / 1000) * LIMIT_MS.perKilobyte);
  let module: ParsedModule;
  try {
    module = parsed(text, limitMs ?? fair);
  } catch (failure) {
    yield error('unparsed', { why: failure instanceof Error ? failure.message : String(failure) });
    return;
  }
  yield ok('parsed');
  const { fixed, later, isComputed } = importsOf(module);
  for (const specifier of fixed) yield importFinding(specifier, 'it imports');
  for (const specifier of later) yield importFinding(specifier, 'while it runs, it imports');
  if (isComputed) yield advice('computedImport');
  if (!declaresElement) yield elementFinding(module);
}

function importFinding(specifier: string, how: string): Finding {
  return isAddress(specifier)
    ? advice('otherImport', { specifier, how })
    : error('bareImport', { specifier, how });
}

function elementFinding({ program, definesElement }: ParsedModule): Finding {
  const declared = new Map(program.body.flatMap(declarationsIn));
  const kinds = new Map(
    program.body.flatMap(exportsIn).map(([name, value]) => [name, kindOf(value, declared)]),
  );
  const kind = kinds.get('default');
  if (kind === 'element') return ok('exported', { how: 'its default export is' });
  if (kind !== undefined) return kind === 'other' ? error('otherExport') : advice('computedExport');
  if ([...kinds.values()].includes('element')) return ok('exported', { how: 'it exports' });
  return definesElement ? advice('definedOnly') : error('noElement');
}

/** What a value is, as far as the text tells. */
function kindOf(value: AnyNode, declared: ReadonlyMap<string, AnyNode>): 'element' | 'other' | 'unknown' {
  let at: AnyNode | undefined = value;
  for (let steps = 0; at?.type === 'Identifier' && steps < 10; steps++) at = declared.get(at.name);
  if (at?.type === 'ClassDeclaration' || at?.type === 'ClassExpression')
    return at.superClass ? 'element' : 'other';
  return /Literal|Object|Array|Function/.test(at?.type ?? '') ? 'other' : 'unknown';
}

type Named = readonly (readonly [name: string, value: AnyNode])[];

/** The names that a statement declares, with their values. */
function declarationsIn(node: AnyNode): Named {
  if (node.type === 'ExportNamedDeclaration') return node.declaration ? declarationsIn(node.declaration) : [];
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init ? [[id.name, init]] : [],
    );
  const isNamed = node.type === 'ClassDeclaration' || node.type === 'FunctionDeclaration';
  return isNamed && node.id ? [[node.id.name, node]] : [];
}

function exportsIn(node: AnyNode): Named {
  if (node.type === 'ExportDefaultDeclaration') return [['default', node.declaration]];
  if (node.type !== 'ExportNamedDeclaration' || node.source) return [];
  const listed = node.specifiers.map(({ local, exported }) => [nameOf(exported) ?? '', local] as const);
  return [...listed, ...declarationsIn(node)];
}

/** Is it `customElements.define(…)`, or `window.customElements.define(…)`? */
function definesElement(node: AnyNode): boolean {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  return nameOf(node.callee.property) === 'define' && nameOf(node.callee.object) === 'customElements';
}

function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? nameOf(node.property) : undefined;
}
