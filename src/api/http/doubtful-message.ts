import type { Json } from '../../shared/json.ts';
import { isRecord, plainKey, successKeys } from './body-keys.ts';

/** A sentence that may say that the request was not done. */
const doubtfulWords =
  /\b(not?|none|nothing|never|neither|cannot|unable|\w+n['’]?t|fail(s|ed|ure)?|errors?|problem|exception|wrong|invalid|incorrect|denied|declined|refused|rejected|ignored|skipped|blocked|prevented|unauthori[sz]ed|forbidden|prohibited|missing|unknown|unavailable|unsupported|unsuccessful|unchanged|impossible|insufficient|incomplete|exceed(s|ed)|expired|timed out|aborted|cancell?ed|reverted|rolled back|must|required|already|without (any )?changes?|sorry|unfortunately)\b|^0 /i;

/** Keys of a sentence for people, with or without a record beside it. */
const messageKeys = new Set(
  'message messages msg notice notices detail details reason statustext statusmessage statusdescription responsemessage usermessage info information warning warnings alert flash explanation'.split(
    ' ',
  ),
);

/** Keys that hold such a sentence too, but in a record are fields of its own. */
const otherKeys = new Set(
  'status state result outcome response data meta payload body description note notes comment text hint'.split(' '),
);

/** Answers that name an action as not done. A record may have been revoked, granted or processed at another time. */
const undone = new Set(['updated', 'saved', 'created', 'changed', 'applied']);

function isDoubtfulEntry(key: string, value: unknown, isOfRecord: boolean): boolean {
  const name = plainKey(key);
  if (undone.has(name)) return value === false || value === 'false';
  if (!messageKeys.has(name) && (isOfRecord || !otherKeys.has(name))) return false;
  return [value].flat().some((text) => typeof text === 'string' && doubtfulWords.test(text));
}

function isSuccess(part: Json): boolean {
  return Object.entries(part).some(
    ([key, value]) =>
      successKeys.has(plainKey(key)) && (value === true || value === 1 || value === 'true' || value === '1'),
  );
}

/** Whether the parts of an answer hold a sentence that may deny the request, and no `success: true`. */
export function isDoubtful(parts: readonly Json[]): boolean {
  if (parts.some(isSuccess)) return false;
  return parts.some((part) => Object.entries(part).some(([key, value]) => isDoubtfulEntry(key, value, isRecord(part))));
}
