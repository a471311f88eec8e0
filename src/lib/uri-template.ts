interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  /** What is written behind the name of an empty value. */
  readonly ifEmpty: string;
  /** Do reserved characters and percent-encoded ones stay as they are? */
  readonly reserved: boolean;
}

const simple: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false };
const form: Operator = { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false };

/** RFC 6570, appendix A. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  '': simple,
  '+': { ...simple, reserved: true },
  '#': { ...simple, first: '#', reserved: true },
  '.': { ...simple, first: '.', separator: '.' },
  '/': { ...simple, first: '/', separator: '/' },
  ';': { ...form, first: ';', separator: ';', ifEmpty: '' },
  '?': form,
  '&': { ...form, first: '&' },
};

/** How many variables a template of a stranger may name, and how often each of them (design, section 16). */
export const TEMPLATE_BOUNDS = { variables: 16, repetitions: 2 } as const;
/** Characters of the longest expansion that is made: servers refuse longer addresses. */
const LONGEST_EXPANSION = 8_000;

const EXPRESSIONS = /\{([+#./;?&]?)([^{}]*)\}/g;

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
    const operator = OPERATORS[sign] ?? simple;
    let before = operator.first;
    for (const one of list.split(',')) {
      const [, name = '', length] = /^([^*:]*)\*?(?::(\d{1,4}))?$/.exec(one.trim()) ?? [];
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) continue;
      if (text.length + value.length > LONGEST_EXPANSION) return undefined;
      text += before + expanded(name, value, operator, length);
      before = operator.separator;
    }
  }
  text += template.slice(end);
  return text.length > LONGEST_EXPANSION ? undefined : text;
}

/** The names of the variables, as often as the template names them. */
export function templateVariables(template: string): string[] {
  return [...template.matchAll(EXPRESSIONS)].flatMap(([, , list = '']) =>
    list.split(',').map((one) => one.trim().replace(/\*$|:\d{1,4}$/, '')),
  );
}

/** Does a template name more variables, or one of them more often, than `TEMPLATE_BOUNDS` allows? */
export function isExcessiveTemplate(template: string): boolean {
  const named = new Map<string, number>();
  for (const name of templateVariables(template)) named.set(name, (named.get(name) ?? 0) + 1);
  const { variables, repetitions } = TEMPLATE_BOUNDS;
  return named.size > variables || Math.max(0, ...named.values()) > repetitions;
}

/** What stands between braces: an operator, and variables with their modifiers (section 2). */
const EXPRESSION = /^[+#./;?&]?[\w%.]+(?:\*|:[1-9]\d{0,3})?(?:,[\w%.]+(?:\*|:[1-9]\d{0,3})?)*$/;

/** Is a text a URI template? Takes time that is linear in its length. */
export function isUriTemplate(text: string): boolean {
  const [first = '', ...others] = text.split('{');
  return (
    !first.includes('}') &&
    others.every((piece) => {
      const [expression = '', literal, ...more] = piece.split('}');
      return literal !== undefined && more.length === 0 && EXPRESSION.test(expression);
    })
  );
}

/** @param length how many characters of the value are wanted */
function expanded(name: string, value: string, operator: Operator, length?: string): string {
  const start = length === undefined ? value : Array.from(value).slice(0, Number(length)).join('');
  const text = operator.reserved ? encodeReserved(start) : encodeAll(start);
  if (!operator.named) return text;
  return name + (text === '' ? operator.ifEmpty : `=${text}`);
}

function encodeAll(text: string): string {
  const one = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[!'()*]/g, one);
}

/** Keeps what has a meaning in URIs, and what is percent-encoded already. */
function encodeReserved(text: string): string {
  const kept = /%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=]/;
  return text
    .split(/(%[0-9A-Fa-f]{2}|[:/?#[\]@!$&'()*+,;=])/)
    .map((part) => (kept.test(part) ? part : encodeAll(part)))
    .join('');
}
