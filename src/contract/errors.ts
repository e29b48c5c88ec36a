import * as z from 'zod';

// API document: "Errors".

/** The body of every error. Codes other than not_found and invalid_fields are not shown in the document. */
export const apiErrorBody = z.object({
  error: z.string(),
  errors: z.array(z.object({ code: z.string(), message: z.string() })),
  request_id: z.string(),
});
