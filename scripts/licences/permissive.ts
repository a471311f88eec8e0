/** Licences under which everybody may pass a program on, changed or not, for the price of their text. */
const PERMISSIVE = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  // Not a name of SPDX; js-sorted-set writes it.
  ...['Public Domain', 'Unlicense'],
]);

/** @param expression of SPDX. Of several licences joined by OR one is enough; AND asks for all. */
export function isPermissive(expression: string): boolean {
  const choices = expression.replace(/^\(|\)$/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => PERMISSIVE.has(licence.trim())));
}
