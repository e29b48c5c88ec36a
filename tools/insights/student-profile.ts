import * as z from 'zod';
import { studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { readProfile } from '../../src/workflows/students/read-profile.ts';
import * as common from './shared-arguments.ts';
import { presentProfile, profileOutput } from './student-profile-result.ts';

export const studentProfile = defineTool({
  name: 'student_profile',
  toolset: 'insights',
  title: 'Show the profile of a student',
  description:
    'Tells everything (overview, history) about one student or customer: each course and bundle they hold (own), how and its completion; newest orders (purchases). Why they cannot open one: diagnose_access; bare record: get_student_details.',
  cost: {
    requests: 1,
    plus: [
      { requests: 1, per: 'page of orders' },
      { requests: [1, 3], per: 'course' },
      { requests: [0, 1], when: 'to test the status filter' },
    ],
  },
  example: { email: 'freya.hargreaves@example.net' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({ email: studentEmail, max_requests: common.maxRequests }),
  output: profileOutput,
  run: async ({ email, max_requests }, context) => {
    const profile = await readProfile(email, await requestsAllowed(max_requests, context), context);
    return presentProfile({ email, ...profile }, context);
  },
});
