import { boundSwitches, clockSwitches } from './bounds.ts';
import { contradictionSwitches } from './contradictions.ts';
import { detailSwitches, filterSwitches, notFoundSwitches } from './details.ts';
import { answerSwitches, denialSwitches, droppedSwitches, errorSwitches, strangeSwitches } from './errors.ts';
import { fineSwitches } from './fine.ts';
import { listSwitches, pagingSwitches } from './lists.ts';
import { markSwitches, readMeaningSwitches, recordSwitches } from './reads-meaning.ts';
import { amountSwitches, dateSwitches, elementSwitches, statusSwitches } from './statuses.ts';
import { communitySwitches, completionSwitches, productSwitches, structureSwitches } from './structure.ts';
import type { Switch } from './switch.ts';
import { changeSwitches, timeSwitches } from './times.ts';
import { effectSwitches, writeMeaningSwitches } from './writes-meaning.ts';

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
  ...markSwitches,
  ...listSwitches,
  ...writeMeaningSwitches,
  ...recordSwitches,
  ...timeSwitches,
  ...changeSwitches,
  ...readMeaningSwitches,
  ...contradictionSwitches,
];
