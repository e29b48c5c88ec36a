import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';

const compiled = new Map<string, JsonSchemaValidator<unknown>>();
let ajv: AjvJsonSchemaValidator | undefined;

function validatorOf(schema: JsonSchemaType): JsonSchemaValidator<unknown> {
  const key = JSON.stringify(schema);
  ajv ??= new AjvJsonSchemaValidator();
  const validate = compiled.get(key) ?? ajv.getValidator(schema);
  compiled.set(key, validate);
  return validate;
}

/**
 * The validator that clients check answers with. Each schema is compiled once for all clients of a process: each client would
 * compile those of all tools, which takes longer than the rest of most tests.
 */
export const sharedValidator: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => validatorOf(schema) as JsonSchemaValidator<T>,
};
