/** Is told of the requests of one route and method. */
export interface RouteWatch {
  /** A request has come; what this gives back is for `ended`. */
  began(): number;
  /** Its answer has been sent or given up. */
  ended(began: number, status: number, bytes: number): void;
}

/** Who is to be told of the requests of a route and method; asked once for each. */
export type RequestWatch = (route: string, method: string) => RouteWatch;
