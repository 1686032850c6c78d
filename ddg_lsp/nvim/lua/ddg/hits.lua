-- What a hit is called, where it is, and how it is opened. Knows no picker.
local M = {}

local function clean(text)
  return vim.trim((text:gsub('[%c%s]+', ' ')))
end

-- The heading path, outermost first; the file's name for text before any heading.
function M.headings(hit)
  local headings = {}
  for _, heading in ipairs(hit.headings) do
    headings[#headings + 1] = clean(heading)
  end
  if #headings == 0 then
    headings[1] = clean(vim.fs.basename(hit.path))
  end
  return headings
end

function M.heading(hit)
  return table.concat(M.headings(hit), ' > ')
end

function M.line(hit)
  return hit.selectionRange.start.line + 1
end

-- `docs/guide.md:9`, for people.
function M.place(hit)
  return ('%s:%d'):format(clean(hit.path), M.line(hit))
end

function M.is_weak(hit)
  return hit.match == 'weak'
end

-- `[Retry policy](docs/guide.md#L9)`, to be pasted somewhere.
function M.link(hit)
  local title = M.headings(hit)[#hit.headings > 0 and #hit.headings or 1]
  local target = hit.path:gsub('[^/]+', vim.uri_encode):gsub('%(', '%%28'):gsub('%)', '%%29')
  return ('[%s](%s#L%d)'):format(title:gsub('([%[%]\\])', '\\%1'), target, M.line(hit))
end

function M.copy_link(hit)
  local link = M.link(hit)
  vim.fn.setreg('"', link)
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', link)
  end
  vim.notify('Copied: ' .. link)
end

-- Further good sections of the same file: `Damage:34, Limits:60`.
function M.further(hit)
  local words = {}
  for _, also in ipairs(hit.alsoIn) do
    local heading = also.headings[#also.headings]
    words[#words + 1] = ('%s:%d'):format(heading and clean(heading) or 'top', also.range.start.line + 1)
  end
  return table.concat(words, ', ')
end

local SPLITS = { split = 'split', vsplit = 'vsplit', tab = 'tab split' }

local function takes_files(win)
  local kind = vim.bo[vim.api.nvim_win_get_buf(win)].buftype
  local floats = vim.api.nvim_win_get_config(win).relative ~= ''
  return not floats and not vim.wo[win].winfixbuf and (kind == '' or kind == 'help' or kind == 'acwrite')
end

-- Goes to a window in which a file can be shown: this one, the one before, any, or a new one.
local function to_window()
  local before = vim.fn.win_getid(vim.fn.winnr('#'))
  local wins = vim.list_extend({ vim.api.nvim_get_current_win(), before }, vim.api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(wins) do
    if win ~= 0 and takes_files(win) then
      return vim.api.nvim_set_current_win(win)
    end
  end
  vim.cmd('topleft split')
end

-- Shows a hit in the current window, or in a new one: `how` is `edit`, `split`, `vsplit` or `tab`.
function M.open(hit, client, how)
  to_window()
  if SPLITS[how] then
    vim.cmd(SPLITS[how])
  end
  local place = { uri = hit.uri, range = hit.selectionRange }
  local ok, why = pcall(vim.lsp.util.show_document, place, client.offset_encoding, { focus = true })
  if not ok then
    return vim.notify(('ddg: %s could not be opened: %s'):format(hit.path, why), vim.log.levels.ERROR)
  end
  vim.cmd('normal! zt')
end

-- Entries for `setqflist()`, in the order of the answer.
function M.quickfix(hits, client)
  local items = {}
  for _, hit in ipairs(hits) do
    local place = { uri = hit.uri, range = hit.selectionRange }
    local item = vim.lsp.util.locations_to_items({ place }, client.offset_encoding)[1]
    if item then
      item.text = (M.is_weak(hit) and '(weak) ' or '') .. M.heading(hit)
      item.user_data = hit
      items[#items + 1] = item
    end
  end
  return items
end

-- Fills the quickfix list and opens it.
function M.to_quickfix(answer, client)
  local items = M.quickfix(answer.hits, client)
  vim.fn.setqflist({}, ' ', { title = 'Docs: ' .. answer.query, items = items })
  vim.cmd('botright copen')
end

return M
