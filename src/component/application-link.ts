import { parsedUrl } from '../lib/can-parse-url.js';
import { expandUriTemplate, isExcessiveTemplate, templateVariables } from '../lib/uri-template.js';
import type { UriTemplateInvocation } from './capability.js';

const OPEN = ['ac:open', 'https://www.w3.org/ns/ac#open'];

/**
 * The URL that opens a resource with an application: the template, expanded and resolved against the IRI of the
 * application. A variable is resolved by its property, whatever its name. Undefined when no variable stands for the
 * resource, when the result is no http or https URL, and when the template or the result is beyond the bounds of templates.
 */
export function applicationLink(
  application: string,
  { template, mapping = [] }: Pick<UriTemplateInvocation, 'template' | 'mapping'>,
  resource: string,
): string | undefined {
  const open = mapping.filter(({ property }) => OPEN.includes(property)).map(({ variable }) => variable);
  if (isExcessiveTemplate(template)) return undefined;
  const variables = templateVariables(template);
  if (!open.some((variable) => variables.includes(variable))) return undefined;
  const expanded = expandUriTemplate(template, Object.fromEntries(open.map((name) => [name, resource])));
  const url = expanded === undefined ? undefined : parsedUrl(expanded, application);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}
