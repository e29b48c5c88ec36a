/** An error response of the sandbox. API document: "Errors". */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** For invalid_fields: the accepted fields. */
  readonly supportedFields: readonly string[] | undefined;

  constructor(status: number, code: string, message: string, supportedFields?: readonly string[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.supportedFields = supportedFields;
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `${what} not found`);
}

export function invalidParameter(message: string): Problem {
  return new Problem(422, 'invalid_parameter', message);
}

export function invalidFields(unsupported: readonly string[], supported: readonly string[]): Problem {
  return new Problem(422, 'invalid_fields', `Unsupported fields: ${unsupported.join(', ')}`, supported);
}
