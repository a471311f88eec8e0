/** How long a module may take to define its element after it has run, and an element to show something; in ms. */
export const PATIENCE = 5_000;
