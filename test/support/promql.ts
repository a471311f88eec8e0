/** What an expression of Prometheus names: metrics, and labels in matchers and groupings. */
export interface Named {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

const NO_METRICS = /^(and|or|unless|by|without|on|ignoring|offset|bool|group_left|group_right)$/;

/** Finds the names in an expression. It knows the part of the language that the shipped files use. */
export function namesIn(expression: string): Named {
  const bare = expression.replaceAll(/"(\\.|[^"\\])*"/g, '""').replaceAll(/\[[^\]]*\]|\boffset\s+\w+/g, ' ');
  const groupings = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, list = '']) => list.split(',').map((label) => label.trim()),
  );
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(?:=|!=|=~|!~)/g)].map(([, label = '']) => label),
  );
  const rest = bare.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)|\{[^}]*\}/g, ' ');
  const words = [...rest.matchAll(/([a-zA-Z_:][\w:]*)(\s*\()?/g)].filter(([, , call]) => call === undefined);
  const metrics = words.map(([, word = '']) => word).filter((word) => !NO_METRICS.test(word));
  return { metrics: [...new Set(metrics)], labels: [...new Set([...groupings, ...matchers])] };
}
