import type { TestApp } from '../acceptance/adapters/registry-app.js';

/** What somebody writes who wants to run a script in pages of others. */
export const HOSTILE = `"><script>alert('1')</script><img src=x onerror='alert(2)'>`;

/** The headers by which a browser asks for a page. */
export const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** Asks for a path as a browser does, unless the headers say otherwise. */
export const browse = (app: TestApp, path: string, headers: Record<string, string> = HTML) =>
  app.app.request(path, { headers });

/** The text of a page that a browser asks for. */
export const pageText = async (app: TestApp, path: string, headers?: Record<string, string>) =>
  (await browse(app, path, headers)).text();

/** What a visitor reads in the main part of a page. */
export const words = (html: string) =>
  html
    .replace(/^.*<main[^>]*>|<\/main>.*$/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
