//! The kernels of bench/mergesort/problem.cpp, step by step.

const NETWORK: usize = 8;

/// Sorts eight items without a branch.
fn sort_8(from: &[u32; NETWORK], to: &mut [u32]) {
    const PAIRS: [(usize, usize); 19] = [
        (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3), (4, 5), (6, 7), (2, 4), (3, 5),
        (1, 4), (3, 6), (1, 2), (3, 4), (5, 6),
    ];
    let mut v = *from;
    for (i, j) in PAIRS {
        let (a, b) = (v[i], v[j]);
        v[i] = a.min(b);
        v[j] = a.max(b);
    }
    to.copy_from_slice(&v);
}

fn sort_few(items: &mut [u32]) {
    for i in 1..items.len() {
        let moving = items[i];
        let mut place = i;
        while place > 0 && items[place - 1] > moving {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = moving;
    }
}

/// Merges from both ends, without a branch on the items.
///
/// # Safety
/// `a` and `b` are readable for their lengths, `out` is writable for both together and overlaps neither.
#[inline(always)]
unsafe fn merge_raw(mut a: *const u32, a_len: usize, mut b: *const u32, b_len: usize, mut out: *mut u32) {
    let mut a_end = a.add(a_len);
    let mut b_end = b.add(b_len);
    let mut out_end = out.add(a_len + b_len);
    loop {
        let rounds = a_end.offset_from(a).min(b_end.offset_from(b));
        if rounds == 0 {
            break;
        }
        for _ in 0..rounds {
            let take_a = *a <= *b;
            *out = if take_a { *a } else { *b };
            out = out.add(1);
            a = a.add(usize::from(take_a));
            b = b.add(usize::from(!take_a));

            let (last_a, last_b) = (a_end.sub(1), b_end.sub(1));
            let take_last_b = *last_a <= *last_b;
            out_end = out_end.sub(1);
            *out_end = if take_last_b { *last_b } else { *last_a };
            b_end = b_end.sub(usize::from(take_last_b));
            a_end = a_end.sub(usize::from(!take_last_b));
        }
    }
    let rest_of_a = a_end.offset_from(a) as usize;
    std::ptr::copy_nonoverlapping(a, out, rest_of_a);
    std::ptr::copy_nonoverlapping(b, out.add(rest_of_a), b_end.offset_from(b) as usize);
}

/// Sorts `data`; the result is there, or in `buffer`.
#[inline(never)]
pub fn sort_leaf(data: &mut [u32], buffer: &mut [u32], into_buffer: bool) {
    let n = data.len();
    let mut in_buffer = into_buffer;
    let mut width = NETWORK;
    while width < n {
        in_buffer = !in_buffer;
        width *= 2;
    }
    for i in (0..n).step_by(NETWORK) {
        let end = n.min(i + NETWORK);
        if let Ok(eight) = <[u32; NETWORK]>::try_from(&data[i..end]) {
            sort_8(&eight, if in_buffer { &mut buffer[i..end] } else { &mut data[i..end] });
        } else {
            sort_few(&mut data[i..end]);
            if in_buffer {
                buffer[i..end].copy_from_slice(&data[i..end]);
            }
        }
    }
    let (mut from, mut to) =
        if in_buffer { (buffer.as_mut_ptr(), data.as_mut_ptr()) } else { (data.as_mut_ptr(), buffer.as_mut_ptr()) };
    let mut width = NETWORK;
    while width < n {
        let mut i = 0;
        while i < n {
            let a = width.min(n - i);
            let b = width.min(n - i - a);
            // SAFETY: i + a + b is at most n, the length of both, which do not overlap.
            unsafe { merge_raw(from.add(i), a, from.add(i + a), b, to.add(i)) };
            i += 2 * width;
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
}

#[inline(never)]
pub fn merge(a: &[u32], b: &[u32], out: &mut [u32]) {
    assert_eq!(a.len() + b.len(), out.len());
    // SAFETY: `out` has room for both, and a mutable slice overlaps nothing.
    unsafe { merge_raw(a.as_ptr(), a.len(), b.as_ptr(), b.len(), out.as_mut_ptr()) }
}

/// How many of the first `count` items of the merged result come from `a`.
pub fn split_at(a: &[u32], b: &[u32], count: usize) -> usize {
    let (mut low, mut high) = (count.saturating_sub(b.len()), count.min(a.len()));
    while low < high {
        let from_a = low + (high - low) / 2;
        if a[from_a] <= b[count - from_a - 1] {
            low = from_a + 1;
        } else {
            high = from_a;
        }
    }
    low
}
