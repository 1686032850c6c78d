-- Stands in for telescope.nvim: the part of its documented interface that an extension uses.
return {
  register_extension = function(extension)
    return extension
  end,
}
