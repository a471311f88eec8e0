import { expandUriTemplate, isExcessiveTemplate, templateVariables } from '../lib/uri-template.js';

/** An `ac:UriTemplateInvocation` (Application Capability, section 5.3.1). */
export interface UriTemplateInvocation {
  readonly template: string;
  /** What each variable of the template means. */
  readonly mapping?: readonly { readonly variable: string; readonly property: string }[] | undefined;
}

const OPEN = ['ac:open', 'https://www.w3.org/ns/ac#open'];

/**
 * The URL that opens a resource with an application: the template, expanded and resolved against the IRI of the
 * application. A variable is resolved by its property, whatever its name. Undefined when no variable stands for the
 * resource, when the result is no http or https URL, and when the template or the result is beyond the bounds of templates.
 */
export function applicationLink(
  application: string,
  { template, mapping = [] }: UriTemplateInvocation,
  resource: string,
): string | undefined {
  const open = mapping.filter(({ property }) => OPEN.includes(property)).map(({ variable }) => variable);
  if (isExcessiveTemplate(template)) return undefined;
  const variables = templateVariables(template);
  if (!open.some((variable) => variables.includes(variable))) return undefined;
  const expanded = expandUriTemplate(template, Object.fromEntries(open.map((name) => [name, resource])));
  if (expanded === undefined) return undefined;
  try {
    const { href, protocol } = new URL(expanded, application);
    return protocol === 'https:' || protocol === 'http:' ? href : undefined;
  } catch {
    return undefined;
  }
}
