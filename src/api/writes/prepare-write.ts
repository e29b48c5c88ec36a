import type { InputOf, Operation } from '../../contract/operation.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import type { RecentGrant } from '../../insights/students/holdings.ts';
import type { Api, CallOptions } from '../api.ts';
import { emptyAnswer } from '../http/decode.ts';
import type { EncodedRequest } from '../http/encode.ts';
import type { Decoder } from '../http/read-answer.ts';
import type { SendRequest, SendResult } from '../send-with-retries.ts';
import type { WriteRecord } from './journal.ts';
import { createJudge } from './judge-answer.ts';
import type { LessonIndex } from './known-records.ts';
import { type KnownOrders, recentMs } from './known-records.ts';
import { meaningOf } from './meaning.ts';
import type { Write } from './write.ts';

export interface PrepareWriteOptions {
  readonly api: Api;
  readonly decoder: Decoder;
  readonly send: (request: SendRequest) => Promise<SendResult>;
  readonly lessonIndex: LessonIndex;
  readonly orders: KnownOrders;
  readonly recentGrants: (email: string) => Promise<readonly RecentGrant[]>;
  /** See `Platform`. */
  readonly clockShiftMs: () => number;
}

/** Builds the steps of one write. `write.ts` gives their order. */
export function createPrepareWrite({
  api,
  decoder,
  send,
  lessonIndex,
  orders,
  recentGrants,
  clockShiftMs,
}: PrepareWriteOptions) {
  /** Counts the requests of a verification as the write's own. */
  function verifyingApi({ priority, onRequest, onWait }: CallOptions, signal: AbortSignal | undefined): Api {
    return { call: (operation, input) => api.call(operation, input, { priority, onRequest, onWait, signal }) };
  }

  return <O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
    record?: WriteRecord,
  ): Write<ParsedResponse<O['response']>> => {
    const begun = Date.now();
    const since = () => new Date(begun + clockShiftMs() - recentMs);
    const { judge, acceptedFields, showsOther } = createJudge(operation, input, () => lessonIndex.lastKnown(input));
    return {
      operation,
      input,
      checkedAt: call.checkedAt,
      send: (isResend, signal) =>
        send({ operation, request, input, call: { ...call, signal }, isResend, judge, record }),
      record,
      verify: (isBeforeWrite, signal) => {
        const { courseOf: courseOfLesson } = lessonIndex;
        const context = { api: verifyingApi(call, signal), since, orders, recentGrants, isBeforeWrite, courseOfLesson };
        return meaningOf(operation).verify(input, context);
      },
      parse: (result) => {
        const answer = decoder.read<O['response']>(operation, operation.response, result);
        // Another record is not what was written, so it is not shown.
        return showsOther(result) ? emptyAnswer<O['response']>(operation.response) : answer;
      },
      acceptedFields,
      answerFrom: (record = {}) => decoder.parse<O['response']>(operation, operation.response, record),
    };
  };
}
