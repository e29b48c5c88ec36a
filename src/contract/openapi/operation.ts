import type { Json } from '../../shared/json.ts';
import type { AnyOperation } from '../index.ts';
import type { Operation } from '../operation.ts';
import { answerName, isShown } from './answers.ts';
import { errorAnswers, headersOfAnswers } from './components.ts';
import { schemaPath, sentObject } from './json-schema.ts';
import { operationIdOf } from './operation-id.ts';
import { tagOf } from './tags.ts';

type Place = 'path' | 'query';

function parameters(fields: Operation['params'], place: Place): Json[] {
  const { properties, required = [] } = sentObject(fields);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema,
  }));
}

/** API document: "Student access management" takes form fields or JSON, and so does the completion percentage. */
function takesForms({ id }: Operation): boolean {
  return id.startsWith('access.') || id === 'courses.getCourseCompletion';
}

/** API document: updates refuse unsupported fields with the code `invalid_fields`. */
function bodyOf({ body, envelope, effect }: Operation): Json {
  const { additionalProperties: _, ...open } = sentObject(body);
  const fields = effect === 'update' ? { ...open, additionalProperties: false } : open;
  if (envelope === undefined) return fields;
  return { type: 'object', properties: { [envelope]: fields }, required: [envelope] };
}

function requestBody(operation: Operation): Json {
  if (Object.keys(operation.body).length === 0) return {};
  const media = { schema: bodyOf(operation) };
  const form = takesForms(operation) ? { 'application/x-www-form-urlencoded': media } : {};
  return { requestBody: { required: true, content: { 'application/json': media, ...form } } };
}

/** The API document states no success status of writes: a platform may answer 200, 201 or 204. */
function answers(operation: Operation): Json {
  const assumed = 'The API document does not show this body: its fields are an assumption.';
  const success = {
    description: isShown(operation) ? 'Success.' : `Success. ${assumed}`,
    headers: headersOfAnswers,
    content: { 'application/json': { schema: { $ref: schemaPath(answerName(operation)) } } },
  };
  return { [operation.effect === 'read' ? '200' : '2XX']: success, ...errorAnswers };
}

/** `/api/v1/courses/{course_id}` for `/api/v1/courses/:course_id`. */
export function templatedPath({ path }: Operation): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}

/** The operation object of OpenAPI. */
export function operationObject(operation: AnyOperation): Json {
  const { id, summary, params, query } = operation;
  return {
    operationId: operationIdOf(id),
    tags: [tagOf(operation)],
    summary,
    parameters: [...parameters(params, 'path'), ...parameters(query, 'query')],
    ...requestBody(operation),
    responses: answers(operation),
  };
}
