import { amountSwitches } from './amounts.ts';
import { answerSwitches } from './answers.ts';
import { boundSwitches, clockSwitches } from './bounds.ts';
import { combinedSwitches } from './combined.ts';
import { communitySwitches } from './community.ts';
import { completionSwitches } from './completion.ts';
import { dateSwitches } from './dates.ts';
import { denialSwitches } from './denial.ts';
import { detailSwitches } from './details.ts';
import { droppedSwitches } from './dropped.ts';
import { effectSwitches } from './effects.ts';
import { elementSwitches } from './elements.ts';
import { errorSwitches } from './errors.ts';
import { filterSwitches } from './filters.ts';
import { fineSwitches } from './fine.ts';
import { listSwitches } from './lists.ts';
import { markSwitches } from './marks.ts';
import { notFoundSwitches } from './not-found.ts';
import { pagingSwitches } from './paging.ts';
import { productSwitches } from './products.ts';
import { readMeaningSwitches } from './reads-meaning.ts';
import { recordSwitches } from './records.ts';
import { statusSwitches } from './statuses.ts';
import { strangeSwitches } from './strange.ts';
import { structureSwitches } from './structure.ts';
import type { Switch } from './switch.ts';
import { changeSwitches, timeSwitches } from './times.ts';
import { writeMeaningSwitches } from './writes-meaning.ts';

/** Every switch, class by class. */
export const switches: readonly Switch[] = [
  ...fineSwitches,
  ...denialSwitches,
  ...strangeSwitches,
  ...droppedSwitches,
  ...elementSwitches,
  ...amountSwitches,
  ...dateSwitches,
  ...statusSwitches,
  ...pagingSwitches,
  ...boundSwitches,
  ...clockSwitches,
  ...filterSwitches,
  ...detailSwitches,
  ...notFoundSwitches,
  ...completionSwitches,
  ...structureSwitches,
  ...communitySwitches,
  ...errorSwitches,
  ...answerSwitches,
  ...effectSwitches,
  ...productSwitches,
  ...combinedSwitches,
  ...markSwitches,
  ...listSwitches,
  ...writeMeaningSwitches,
  ...recordSwitches,
  ...timeSwitches,
  ...changeSwitches,
  ...readMeaningSwitches,
];
