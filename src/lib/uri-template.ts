/**
 * RFC 6570, appendix A, by operator: what is written first, what between values, whether with names, what behind the name of an
 * empty value, and whether reserved and percent-encoded characters stay as they are.
 */
const OPERATORS: Readonly<Record<string, readonly [string, string, boolean, string, boolean]>> = {
  '': ['', ',', false, '', false],
  '+': ['', ',', false, '', true],
  '#': ['#', ',', false, '', true],
  '.': ['.', '.', false, '', false],
  '/': ['/', '/', false, '', false],
  ';': [';', ';', true, '', false],
  '?': ['?', '&', true, '=', false],
  '&': ['&', '&', true, '=', false],
};

/** How many variables a template of a stranger may name, and how often each of them (design, section 16). */
export const TEMPLATE_BOUNDS = { variables: 16, repetitions: 2 } as const;
/** Characters of the longest expansion that is made: servers refuse longer addresses. */
const LONGEST_EXPANSION = 8_000;

const EXPRESSIONS = /\{([+#./;?&]?)([^{}]*)\}/g;
/** A variable with its modifier (section 2.4). */
const VARIABLE = /^([\w%.]+)(?:\*|:([1-9]\d{0,3}))?$/;

/**
 * Expands a URI template (RFC 6570, all levels; values are strings, and what has none is left out). What is no expression
 * stays as it is. Undefined where the result would be longer than 8,000 characters: no more than these are ever put together.
 */
export function expandUriTemplate(
  template: string,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let text = '';
  let end = 0;
  for (const { 0: written, 1: sign = '', 2: list = '', index } of template.matchAll(EXPRESSIONS)) {
    text += template.slice(end, index);
    end = index + written.length;
    const [first = '', separator = '', isNamed, ifEmpty = '', isReserved] = OPERATORS[sign] ?? [];
    let before = first;
    for (const one of list.split(',')) {
      const [, name = '', length] = VARIABLE.exec(one.trim()) ?? [];
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) continue;
      if (text.length + value.length > LONGEST_EXPANSION) return undefined;
      const wanted = length === undefined ? value : Array.from(value).slice(0, Number(length)).join('');
      const encoded = isReserved ? encodeReserved(wanted) : encodeAll(wanted);
      text += before + (isNamed ? name + (encoded === '' ? ifEmpty : `=${encoded}`) : encoded);
      before = separator;
    }
  }
  text += template.slice(end);
  return text.length > LONGEST_EXPANSION ? undefined : text;
}

/** The names of the variables, as often as the template names them. */
export function templateVariables(template: string): string[] {
  return [...template.matchAll(EXPRESSIONS)].flatMap(([, , list = '']) =>
    list.split(',').map((one) => VARIABLE.exec(one.trim())?.[1] ?? one.trim()),
  );
}

/** Does a template name more variables, or one of them more often, than `TEMPLATE_BOUNDS` allows? */
export function isExcessiveTemplate(template: string): boolean {
  const named = new Map<string, number>();
  for (const name of templateVariables(template)) named.set(name, (named.get(name) ?? 0) + 1);
  const { variables, repetitions } = TEMPLATE_BOUNDS;
  return named.size > variables || Math.max(0, ...named.values()) > repetitions;
}

/** Is a text a URI template (section 2)? Takes time that is linear in its length. */
export function isUriTemplate(text: string): boolean {
  const variables = [...text.matchAll(EXPRESSIONS)].flatMap(([, , list = '']) => list.split(','));
  return !/[{}]/.test(text.replace(EXPRESSIONS, '')) && variables.every((one) => VARIABLE.test(one));
}

function encodeAll(text: string): string {
  const one = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, one);
}

/** Keeps what has a meaning in URIs, and what is percent-encoded already. */
function encodeReserved(text: string): string {
  const parts = text.split(/(%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=])/);
  return parts.map((part, i) => (i % 2 === 1 ? part : encodeAll(part))).join('');
}
