/** What a variable of a URI template stands for; one without a value is left out. */
export type TemplateValue = string | readonly string[] | undefined;

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

/**
 * Expands a URI template (RFC 6570, all levels; values are strings and lists of strings). What is no expression stays
 * as it is.
 */
export function expandUriTemplate(template: string, values: Readonly<Record<string, TemplateValue>>): string {
  return template.replace(/\{([+#./;?&]?)([^{}]*)\}/g, (_, sign: string, list: string) => {
    const operator = OPERATORS[sign] ?? simple;
    const parts = list.split(',').flatMap((one) => {
      const [, name = '', explode, length] = /^([^*:]*)(\*)?(?::(\d{1,4}))?$/.exec(one.trim()) ?? [];
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return expanded(name, value, operator, { explode: explode !== undefined, length });
    });
    return parts.length === 0 ? '' : operator.first + parts.join(operator.separator);
  });
}

export function templateVariables(template: string): string[] {
  return [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((one) => one.trim().replace(/\*$|:\d{1,4}$/, '')),
  );
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

function expanded(
  name: string,
  value: TemplateValue,
  operator: Operator,
  { explode, length }: { explode: boolean; length: string | undefined },
): string[] {
  if (value === undefined || (typeof value !== 'string' && value.length === 0)) return [];
  const encode = operator.reserved ? encodeReserved : encodeAll;
  const named = (text: string) => {
    if (!operator.named) return text;
    return name + (text === '' ? operator.ifEmpty : `=${text}`);
  };
  if (typeof value !== 'string')
    return explode ? value.map((one) => named(encode(one))) : [named(value.map(encode).join(','))];
  const start = length === undefined ? value : Array.from(value).slice(0, Number(length)).join('');
  return [named(encode(start))];
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
