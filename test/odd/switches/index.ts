import { amountSwitches } from './amounts.ts';
import { boundSwitches, clockSwitches } from './bounds.ts';
import { combinedSwitches } from './combined.ts';
import { communitySwitches, completionSwitches, structureSwitches } from './content.ts';
import { dateSwitches } from './dates.ts';
import { detailSwitches, filterSwitches, notFoundSwitches } from './details.ts';
import { elementSwitches } from './elements.ts';
import { envelopeSwitches, errorSwitches, productSwitches } from './errors.ts';
import { fineSwitches } from './fine.ts';
import { pagingSwitches } from './paging.ts';
import { answerSwitches, denialSwitches, droppedSwitches, effectSwitches, strangeSwitches } from './replies.ts';
import { statusSwitches } from './statuses.ts';
import type { Switch } from './switch.ts';

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
  ...envelopeSwitches,
  ...answerSwitches,
  ...effectSwitches,
  ...productSwitches,
  ...combinedSwitches,
];
