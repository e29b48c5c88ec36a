/** Error messages of the API that repeat nothing that people wrote: which record is missing, the key, the limit. */
const fixedMessages = [
  /^((the )?(record|endpoint|account|course|challenge|module|lesson|bundle|offer|product|digital product|project|channel|group|topic|post|order|student|user|role) )?(was |is )?not (found|available)[.!]?$/i,
  /^(the )?(api )?(key|token)( is)?( missing| invalid| or| not)+( a key of this account)?[.!]?$/i,
  /^the api key is missing or is not a key of this account$/i,
  /^(unauthorized|forbidden|not allowed|this key belongs to a user who is not an admin)[.!]?$/i,
  /^(account )?rate limit exceeded(; try again in \d{1,6} s)?[.!]?$/i,
];

/** Whether an error message of the API is one of those that repeat nothing that people wrote. */
export function isFixedMessage(message: string): boolean {
  return fixedMessages.some((fixed) => fixed.test(message.trim()));
}
