const NO_PARAMETERS = new URLSearchParams();

/** The parameters after the path of a request's URL. Not for changing: requests without any share one object. */
export function parametersOf(url: string): URLSearchParams {
  const from = url.indexOf('?');
  return from < 0 ? NO_PARAMETERS : new URLSearchParams(url.slice(from + 1).replace(/#.*$/s, ''));
}

/**
 * The URIs that texts from a path may mean, the likeliest first: a proxy may have merged the slashes behind the scheme,
 * and a slash at the end may belong to the URI or not.
 */
export function uriSpellings(...texts: readonly string[]): string[] {
  const whole = texts.map((text) => text.replace(/^(https?):\/+/i, '$1://'));
  return [...new Set([...whole, ...whole.map((uri) => uri.replace(/\/$/, ''))])];
}
