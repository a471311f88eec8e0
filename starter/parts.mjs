/**
 * What authors have bundled in their packages: by licence and copyright, the names of what is in it, or may be in parts. These packages
 * are not installed here; the notices are those that they have in the npm registry, or else name their authors.
 */
export const PARTS = {
  '@ulb-darmstadt/shacl-form': {
    'BSD-3-Clause': {
      'Copyright (c) 2020, Digital Bazaar, Inc.': '@digitalbazaar/http-client',
      'Copyright 2008 Fair Oaks Labs, Inc.': 'ieee754',
      'Copyright (c) 2010, Digital Bazaar, Inc.': 'jsonld',
      'Copyright (c) 2016-2021, Digital Bazaar, Inc.': 'rdf-canonize',
    },
    MIT: {
      'Copyright (c) 2024 Thomas Bergwinkl':
        '@rdfjs/data-model @rdfjs/dataset @rdfjs/namespace @rdfjs/term-map @rdfjs/term-set @rdfjs/to-ntriples',
      'Copyright (c) 2023 Thomas Bergwinkl': '@rdfjs/environment',
      'Copyright Tomasz Pluskiewicz': '@tpluscode/rdf-ns-builders',
      'Copyright the authors of @vocabulary/sh': '@vocabulary/sh',
      'Copyright the authors of @zazuko/prefixes': '@zazuko/prefixes',
      'Copyright (c) 2017 Toru Nagashima': 'abort-controller',
      'Copyright (c) 2014 Jameson Little': 'base64-js',
      'Copyright (c) Feross Aboukhadijeh, and other contributors.': 'buffer',
      'Copyright Thomas Bergwinkl': 'clownface',
      'Copyright (c) 2014-2017 TJ Holowaychuk; Copyright (c) 2018-2021 Josh Junon': 'debug',
      'Copyright (c) 2015 Toru Nagashima': 'event-target-shim',
      'Copyright Joyent, Inc. and other Node contributors.': 'events',
      'Copyright (c) Sindre Sorhus': 'ky ky-universal',
      'Copyright (c) 2020 Vercel, Inc.': 'ms',
      'Copyright ©2012–present Ruben Verborgh': 'n3',
      'Copyright (c) 2013 Roman Shtylman': 'process',
      'Copyright © 2020 - now Ruben Taelman': 'rdf-data-factory',
      'Copyright © 2019 Ruben Taelman': 'rdf-literal',
      'Copyright (c) 2020 Zazuko GmbH': 'rdf-validate-datatype rdf-validate-shacl',
      'Copyright Node.js contributors. All rights reserved.': 'readable-stream string_decoder',
      'Copyright (c) Feross Aboukhadijeh': 'safe-buffer',
      'Copyright (c) 2012 Barnesandnoble.com, llc, Donavon West, and Domenic Denicola': 'setimmediate',
      'Copyright (c) 2010-2020 Robert Kieffer and other contributors': 'uuid',
    },
    'Apache-2.0': {
      'Copyright the authors of canonicalize': 'canonicalize',
    },
    ISC: {
      'Copyright (c) Isaac Z. Schlueter and Contributors': 'lru-cache yallist',
    },
  },
  'cytoscape-rdf': {
    MIT: {
      'Copyright (c) Microsoft Corporation. All rights reserved.': '@microsoft/fast-element',
      'Copyright (c) 2019 Federico Zivolo': '@popperjs/core',
      'Copyright (c) 2017 Toru Nagashima': 'abort-controller',
      'Copyright (c) 2014 Jameson Little': 'base64-js',
      'Copyright (c) Feross Aboukhadijeh, and other contributors.': 'buffer',
      'Copyright (c) 2019 - present, iVis@Bilkent.': 'cose-base',
      'Copyright (c) 2016-2026, The Cytoscape Consortium.': 'cytoscape',
      'Copyright (c) 2016-2018, The Cytoscape Consortium.': 'cytoscape-cose-bilkent',
      'Copyright (c) 2018-2021, The Cytoscape Consortium.': 'cytoscape-popper',
      'Copyright (c) 2015 Will Wen Gunn (lifemap.in)': 'emitter',
      'Copyright (c) 2015 Toru Nagashima': 'event-target-shim',
      'Copyright Joyent, Inc. and other Node contributors.': 'events',
      'Copyright (c) 2019 iVis@Bilkent': 'layout-base',
      'Copyright ©2012–present Ruben Verborgh': 'n3',
      'Copyright (c) 2013 Roman Shtylman': 'process',
      'Copyright Node.js contributors. All rights reserved.': 'readable-stream string_decoder',
      'Copyright (c) Feross Aboukhadijeh': 'safe-buffer',
    },
    'BSD-3-Clause': {
      'Copyright 2008 Fair Oaks Labs, Inc.': 'ieee754',
    },
  },
};
