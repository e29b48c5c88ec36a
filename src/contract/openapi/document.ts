import type { Json } from '../../shared/json.ts';
import { operations } from '../index.ts';
import { answerNames, payloadNames } from './answers.ts';
import { errorResponses, errorSchema, headers, securitySchemes } from './components.ts';
import { receivedSchemas, schemaPath } from './json-schema.ts';
import { operationObject, templatedPath } from './operation.ts';
import { tags } from './tags.ts';

const description = [
  'Reads and changes one account of an online course platform. Every request needs the API key of an admin of the account.',
  'The account has 60 requests a minute, or 300 on an academy plan, for all keys together.',
  'Ids are integers, except those of orders. Amounts are decimal strings. Times are ISO 8601 in UTC.',
  'An answer may omit any field and may have others. PUT does the same as PATCH.',
].join(' ');

function paths(): Json {
  const found: Record<string, Json> = {};
  for (const operation of operations) {
    const path = templatedPath(operation);
    found[path] = { ...found[path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return found;
}

/** The API posts its events to webhooks, which an admin creates in the web application. */
function webhooks(): Json {
  const entries = [...payloadNames].map(([event, name]) => {
    const content = { 'application/json': { schema: { $ref: schemaPath(name) } } };
    const post = {
      operationId: event,
      tags: ['Events'],
      summary: `The event ${event}.`,
      security: [],
      requestBody: { required: true, content },
      responses: { '2XX': { description: 'Received.' } },
    };
    return [event, { post }];
  });
  return Object.fromEntries(entries);
}

/** An address that a reader replaces by that of an account. */
const anyAccount = {
  url: 'https://{account}',
  description: 'The address of the account',
  variables: { account: { default: 'academy.example.com', description: 'Host name of the account' } },
};

const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url);

/**
 * An OpenAPI 3.1 document of the API, made from the contract. `baseUrl` is the address of the account; without it, the
 * address is a variable.
 */
export function openApiDocument(baseUrl: URL | undefined): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'Learning Platform Admin API', version: 'v1', description },
    servers: [baseUrl === undefined ? anyAccount : { url: withoutSlash(baseUrl.href) }],
    security: [{ bearer: [] }, { token: [] }],
    tags: [...tags, { name: 'Events' }],
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: { ...receivedSchemas(answerNames), Error: errorSchema },
      responses: errorResponses,
      headers,
      securitySchemes,
    },
  };
}
