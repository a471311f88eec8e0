/** The only way in which bundles define elements: the build calls it in the place of `customElements.define`. */
export function defineOnce(name, element, options) {
  const { customElements: registry } = globalThis;
  if (!registry.get(name)) registry.define(name, element, options);
}
