const NO_PARAMETERS = new URLSearchParams();

/** The parameters after the path of a request's URL. Not for changing: requests without any share one object. */
export function parametersOf(url: string): URLSearchParams {
  const from = url.indexOf('?');
  return from < 0 ? NO_PARAMETERS : new URLSearchParams(url.slice(from + 1).replace(/#.*$/s, ''));
}
