/** Counts the requests of one route and method. */
export interface RouteMetrics {
  /** A request has arrived. @returns when, to be handed to `finished` */
  started(): number;
  /** The answer has been sent, or the client has gone. `bytes`: of the body, as far as it was sent. */
  finished(startedAt: number, status: number, bytes: number): void;
}

/** Where the requests of a route and method are counted; called once for each route and method. */
export type RouteMetricsOf = (route: string, method: string) => RouteMetrics;
