/** What stands between braces: an operator, and variables with their modifiers (RFC 6570, section 2). */
const EXPRESSION = /^[+#./;?&]?[\w%.]+(?:\*|:[1-9]\d{0,3})?(?:,[\w%.]+(?:\*|:[1-9]\d{0,3})?)*$/;

/** Is a text a URI template (RFC 6570)? Takes time that is linear in its length. */
export function isTemplate(text: string): boolean {
  return parts(text)?.every((expression) => EXPRESSION.test(expression)) ?? false;
}

/** The names of the variables of a template, each once. */
export function templateVariables(template: string): string[] {
  const names = (parts(template) ?? []).flatMap((expression) =>
    expression
      .replace(/^[+#./;?&]/, '')
      .split(',')
      .map((one) => one.replace(/\*$|:\d+$/, '')),
  );
  return [...new Set(names)];
}

/** What stands between braces; `undefined` where a brace has no other. */
function parts(text: string): string[] | undefined {
  const [first = '', ...others] = text.split('{');
  if (first.includes('}')) return undefined;
  const expressions: string[] = [];
  for (const piece of others) {
    const [expression = '', literal, ...more] = piece.split('}');
    if (literal === undefined || more.length > 0) return undefined;
    expressions.push(expression);
  }
  return expressions;
}
