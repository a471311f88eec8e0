/** The name of the file, beside package.json, in which authors describe components. */
export const COMPONENT_JSON = 'component.json';
