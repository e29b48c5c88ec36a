import type { Json } from '../../shared/json.ts';

// API document: "Authentication", "Errors", "Limits".

const text = { type: 'string' };

export const errorSchema = {
  type: 'object',
  properties: {
    error: { ...text, description: 'What went wrong' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { code: { ...text, description: 'Such as not_found or invalid_fields' }, message: text },
      },
    },
    request_id: { ...text, description: 'To quote when asking for support' },
  },
};

const conditions = {
  401: ['Unauthorized', 'The API key is missing or invalid.'],
  403: ['Forbidden', 'The key is valid but not allowed, such as the key of a user who is not an admin.'],
  404: ['NotFound', 'The record does not exist, or the endpoint is not available.'],
  422: ['Invalid', 'A parameter is invalid. An unsupported field of an update has the code invalid_fields.'],
  429: ['RateLimited', 'The account has used its requests of this minute: 60, or 300 on an academy plan.'],
} as const;

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

export const errorResponses: Json = Object.fromEntries(
  Object.values(conditions).map(([name, description]) => [name, { description, content: errorContent }]),
);

/** What every operation may answer instead of its result. */
export const errorAnswers: Json = Object.fromEntries(
  Object.entries(conditions).map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
);

export const headers = {
  'X-Request-Id': { description: 'The request, to quote when asking for support', schema: text },
  'X-API-Version': { description: 'v1', schema: text },
};

export const headersOfAnswers: Json = Object.fromEntries(
  Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "Authorization: Bearer <API_KEY>. The API key of an admin: Account Settings, the user's api_key.",
  },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The same key in the other form: Token token=<API_KEY>',
  },
};
