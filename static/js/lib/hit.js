// What lies under a moment: the bucket, bar or item that the readout names.
export function nearestIndex(sorted, at) {
  if (!sorted.length) return -1;
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - sorted[low - 1] <= sorted[low] - at ? low - 1 : low;
}

// The value of one series nearest to a moment, within reach, as [index, value]; null where it has none there.
export function nearestValue(buckets, values, at, reach) {
  const middle = nearestIndex(buckets, at);
  for (let away = 0; middle >= 0 && away < buckets.length; away += 1) {
    const near = [middle - away, middle + away].filter((index) => index >= 0 && index < buckets.length && Math.abs(buckets[index] - at) <= reach);
    if (!near.length) return null;
    const found = near.filter((index) => values[index] != null).sort((a, b) => Math.abs(buckets[a] - at) - Math.abs(buckets[b] - at));
    if (found.length) return [found[0], values[found[0]]];
  }
  return null;
}

// A bucket is named by its start; it holds the moments up to the next start.
export function bucketIndex(buckets, bucketUs, at) {
  let low = 0;
  let high = buckets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (buckets[middle] <= at) low = middle + 1;
    else high = middle;
  }
  const index = low - 1;
  return index >= 0 && at - buckets[index] < Math.max(bucketUs, 1) ? index : -1;
}

export function barAt(bars, at, reach = 0) {
  let best = null;
  let distance = Infinity;
  for (const bar of bars) {
    const away = at < bar.start ? bar.start - at : Math.max(0, at - bar.end);
    if (away <= reach && away < distance) {
      best = bar;
      distance = away;
    }
  }
  return best;
}

export function itemsAt(items, at, reach = 0) {
  return items.filter((item) => {
    const start = item.start ?? item.at ?? item.end;
    const end = item.end ?? item.at ?? item.start;
    return start != null && at >= start - reach && at <= end + reach;
  });
}

export function total(parts) {
  return (parts ?? []).reduce((sum, part) => sum + part.value, 0);
}
