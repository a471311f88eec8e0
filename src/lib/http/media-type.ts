/** A media type or media range as a header gives it (RFC 9110, section 8.3.1). */
export interface MediaType {
  /** Lower case, `type/subtype`, either of which may be `*` in a range. */
  readonly type: string;
  /** By lower-case name; values without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`^[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*`);
const PARAMETER = new RegExp(`;[ \\t]*(?:(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?[ \\t]*`, 'y');

const PLAIN = /^[a-z]+\/[a-z0-9.+-]+$/;
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** Reads one media type with its parameters; `undefined` for what is none. */
export function parseMediaType(text: string): MediaType | undefined {
  if (PLAIN.test(text)) return { type: text, parameters: NO_PARAMETERS };
  const head = TYPE.exec(text);
  if (!head?.[1]) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = head[0].length;
  for (let at = head[0].length; at < text.length; at = PARAMETER.lastIndex) {
    const found = PARAMETER.exec(text);
    if (!found) return undefined;
    const [, name, value] = found;
    if (name && value) parameters.set(name.toLowerCase(), unquoted(value));
  }
  return { type: head[1].toLowerCase(), parameters };
}

/** The members of a comma-separated header; commas inside quoted strings separate nothing. */
export function listMembers(header: string): string[] {
  const members = header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  return members.map((member) => member.trim()).filter((member) => member !== '');
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}
